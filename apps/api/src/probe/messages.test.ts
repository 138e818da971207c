import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';
import type { Finding, StepResult } from './classify-response.ts';
import { adviseStep, tallyProof } from './messages.ts';
import type { OutsideStep, PlannedStep } from './plan.ts';

const text: CheckMessage = { code: 'unresolved' };
const place = { host: 'crm.example.ru', port: 443, scheme: 'https', title: text } as const;
const outside = (kind: OutsideStep['kind']): PlannedStep => ({
  ...place,
  vantage: 'outside',
  kind,
  address: '198.51.100.7',
  path: '/',
  headers: {},
  from: null,
});
const through: PlannedStep = { ...place, vantage: 'through', kind: 'get', proxyId: 3, path: '/' };
const echo: PlannedStep = { vantage: 'through', kind: 'egress', proxyId: 3, title: text };
const nameless: PlannedStep = { vantage: 'outside', kind: 'unresolved', host: 'x.ru', title: text };

describe('the advice on a probe step', () => {
  test.each<[string, PlannedStep, Finding, string | null]>([
    ['the first page is open to strangers', outside('plain'), 'open', 'paste_lock'],
    ['a stranger sees the site with a spoofed header', outside('spoofed'), 'open', 'distrust_header'],
    ['another path is open to strangers', outside('deep'), 'open', 'lock_whole_site'],
    ['the ACME path is open to strangers', outside('acme'), 'open', 'lock_whole_site'],
    ['a request from outside is denied', outside('plain'), 'denied', null],
    ['a response to a stranger is unclear', outside('plain'), 'unclear', 'read_server_log'],
    ['the server fails', outside('plain'), 'server_error', 'fix_server'],
    ['a proxy is denied', through, 'denied', 'renew_lock'],
    ['a proxy gets no response', through, 'no_connection', 'fix_firewall'],
    ['a proxy does not work', through, 'inconclusive', 'check_proxy'],
    ['a proxy reaches the site', through, 'open', null],
    ['an echo call failed', echo, 'inconclusive', null],
    ['a name has no DNS records', nameless, 'inconclusive', 'fix_name'],
  ])('a step of a probe gets the advice for its result: %s', (_, step, finding, code) => {
    expect(adviseStep({ step, finding, detail: text, cdn: null })?.code ?? null).toBe(code);
  });

  test('the advice is to use the company’s own proxy when another company has claimed the host', () => {
    const skipped = { step: through, finding: 'inconclusive', cdn: null } as const;
    expect(adviseStep({ ...skipped, detail: { code: 'held' } })).toEqual({ code: 'own_proxy' });
    expect(adviseStep({ ...skipped, detail: { code: 'out_of_time' } })).toEqual({ code: 'check_again' });
  });

  test('a site without an address of the gateway’s address family gets the advice `fix_family`', () => {
    const denied = { step: through, finding: 'denied', cdn: null } as const;
    const advice = (reason: 'no_family' | 'resolve_failed') =>
      adviseStep({ ...denied, detail: { code: 'unreached', params: { reason } } });
    expect([advice('no_family'), advice('resolve_failed')]).toEqual([
      { code: 'fix_family' },
      { code: 'renew_lock' },
    ]);
  });

  test('the advice for a site that a CDN served to a stranger names the CDN', () => {
    const result: StepResult = { step: outside('plain'), finding: 'open', detail: text, cdn: 'Cloudflare' };
    expect(adviseStep(result)).toEqual({ code: 'use_cdn_lock', params: { cdn: 'Cloudflare' } });
  });
});

describe('the counts of refused requests and of admitted proxies', () => {
  const stranger = (outcome: CheckStep['outcome'], status = 403): CheckStep => ({
    title: { code: 'outside', params: { url: 'https://crm.example.ru', address: '198.51.100.7' } },
    vantage: 'outside',
    outcome,
    detail: { code: 'answered', params: { status, cdn: null, certificateFault: null } },
  });
  const inside = (proxy: string | null, outcome: CheckStep['outcome']): CheckStep => ({
    title: { code: 'through_get', params: { proxy, url: 'https://crm.example.ru' } },
    vantage: 'through',
    outcome,
    detail: null,
  });
  const seen: CheckStep = {
    title: { code: 'through_egress', params: { proxy: null } },
    vantage: 'through',
    outcome: 'passed',
    detail: null,
  };

  test('a request from outside that was skipped for lack of time counts as not refused', () => {
    const steps = [
      stranger('passed'),
      stranger('passed', 301),
      stranger('failed', 302),
      stranger('failed', 200),
      { ...stranger('skipped'), detail: { code: 'out_of_time' as const } },
      { ...stranger('skipped'), detail: { code: 'port_without_tls' as const } },
    ];
    expect(tallyProof(steps).outside).toEqual({ passed: 1, of: 4 });
  });

  test('a proxy counts as admitted if at least one of its requests passed and no request failed', () => {
    const spare = [inside(null, 'passed'), inside(null, 'skipped')];
    expect(tallyProof([seen, ...spare]).through).toEqual({ passed: 1, of: 1 });
    expect(tallyProof([...spare, inside('squid', 'passed'), inside('squid', 'failed')]).through).toEqual({
      passed: 1,
      of: 2,
    });
  });

  test('the count of proxies that open the site ignores echo requests', () => {
    expect(tallyProof([seen, inside(null, 'skipped')]).through).toEqual({ passed: 0, of: 1 });
    expect(tallyProof([seen]).through).toEqual({ passed: 0, of: 0 });
  });
});
