import { type CheckMessage, sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';
import type { Finding, StepResult } from './classify-response.ts';
import { type OutsideStep, type PlannedStep, planVantage, type ThroughStep } from './plan.ts';
import { decideVerdict, type VerdictContext } from './verdict.ts';

const usual: VerdictContext = {
  egressKnown: true,
  insider: false,
  unfinished: false,
  held: false,
  connectivity: { confirmed: [], failed: [] },
  vantages: [],
  away: [],
  unfit: 0,
  failedPage: undefined,
  emptySample: false,
  confirmedProxies: [],
};
/** The connectivity of a machine whose direct request to the echo endpoint succeeded over IPv4. */
const seen = { connectivity: { confirmed: [4 as const], failed: [] } };
const text = (words: string): CheckMessage => ({ code: 'outside_name', params: { host: words } });
const place = { host: 'crm.example.ru', port: 443, scheme: 'https' } as const;
const outside = (kind: OutsideStep['kind'] = 'plain', at: Partial<OutsideStep> = {}): OutsideStep => ({
  ...place,
  vantage: 'outside',
  kind,
  address: '198.51.100.7',
  path: '/',
  headers: {},
  from: null,
  title: text(`outside ${kind}`),
  ...at,
});
const through = (proxyId = 3, scheme: 'https' | 'http' = 'https'): ThroughStep => ({
  ...place,
  scheme,
  vantage: 'through',
  kind: 'get',
  proxyId,
  path: '/',
  title: { code: 'through_get', params: { proxy: `through ${proxyId}`, url: scheme } },
});
const took = (step: PlannedStep, finding: Finding, cdn: string | null = null): StepResult => ({
  step,
  finding,
  detail: text(finding),
  cdn,
});
const silence: CheckMessage = { code: 'unreached', params: { reason: 'timeout' } };
const shut = took(outside(), 'denied');
const deep = took(outside('deep'), 'denied');
const inside = took(through(), 'open');
const v6 = { address: '2606:4700::7' };
const dacha = { id: 1, name: 'Дача', insider: false, connectivity: { confirmed: [], failed: [] } };
const target = { url: 'https://crm.example.ru', address: '198.51.100.7' };
const home = planVantage(
  (['plain', 'deep'] as const).map((kind) => outside(kind, { title: { code: 'outside', params: target } })),
  dacha,
);
const [fromHome] = home as [OutsideStep, ...OutsideStep[]];

describe('the verdict', () => {
  test.each<[string, StepResult[], Partial<VerdictContext>, string, RegExp]>([
    ['strangers are refused and the proxy is admitted', [shut, deep, inside], {}, 'protected', /отказом/],
    ['a firewall drops strangers', [took(outside(), 'no_connection'), inside], seen, 'protected', /отказом/],
    [
      'the site or our network drops requests from outside',
      [took(outside(), 'no_connection'), inside],
      {},
      'unknown',
      /нет выхода в интернет/,
    ],
    ['a firewall refuses strangers', [took(outside(), 'refused'), inside], {}, 'protected', /отказом/],
    [
      'a firewall refuses requests from outside and our echo',
      [took(outside(), 'refused'), inside],
      { connectivity: { confirmed: [], failed: [4] } },
      'unknown',
      /открыть не удалось/,
    ],
    [
      'the site denies by IPv4 and this machine has no IPv6 route',
      [shut, deep, took(outside('plain', v6), 'no_egress'), inside],
      seen,
      'unknown',
      /outside plain: .*no_egress/,
    ],
    [
      'the site denies by IPv4 and is silent by IPv6 without confirmed egress',
      [shut, deep, took(outside('plain', v6), 'no_connection'), inside],
      seen,
      'unknown',
      /интернет по IPv6/,
    ],
    [
      'the site denies by IPv4 and is silent by IPv6 with confirmed egress',
      [shut, deep, took(outside('plain', v6), 'no_connection'), inside],
      { connectivity: { confirmed: [6], failed: [] } },
      'protected',
      /отказом/,
    ],
    [
      'this machine reaches neither the site nor our echo',
      [took(outside(), 'no_connection'), took(outside('plain', v6), 'refused'), inside],
      { connectivity: { confirmed: [], failed: [4, 6] } },
      'unknown',
      /открыть не удалось/,
    ],
    [
      'the site drops all requests from outside',
      [took(outside(), 'dropped'), deep, inside],
      {},
      'protected',
      /отказом/,
    ],
    [
      'the site drops requests except to a folder',
      [took(outside(), 'dropped'), took(outside('deep'), 'open'), inside],
      {},
      'open',
      /./,
    ],
    ['only the first page was requested', [shut, inside], {}, 'unknown', /Проверена только главная/],
    [
      'a ban interrupts the probe',
      [shut, took(outside('deep'), 'unclear'), inside],
      {},
      'unknown',
      /не понять, закрыт ли/,
    ],
    [
      'http redirects to https, and https denies',
      [took(outside('plain', { scheme: 'http', port: 80 }), 'redirect'), shut, deep, inside],
      {},
      'protected',
      /отказом/,
    ],
    [
      'the site serves only one scheme',
      [shut, deep, inside, took(through(3, 'http'), 'no_connection')],
      {},
      'protected',
      /отказом/,
    ],
    ['the first page is open', [took(outside(), 'open'), inside], {}, 'open', /outside plain: .*open/],
    [
      'a spoofed header opens the site',
      [shut, took(outside('spoofed'), 'open'), inside],
      {},
      'open',
      /outside spoofed/,
    ],
    ['a folder is open', [shut, took(outside('deep'), 'open'), inside], {}, 'open', /outside deep/],
    ['one address of two is open', [shut, took(outside(), 'open'), inside], {}, 'open', /открыт всем/],
    [
      'the site is open to strangers and denies the proxy',
      [took(outside(), 'open'), took(through(), 'denied')],
      {},
      'open',
      /./,
    ],
    ['the site is open behind a CDN', [took(outside(), 'open', 'Cloudflare'), inside], {}, 'open', /./],
    [
      'the site is open after the time limit',
      [took(outside(), 'open'), inside],
      { unfinished: true },
      'open',
      /./,
    ],
    [
      'a linked file is open to strangers',
      [shut, deep, took(outside('file'), 'open'), inside],
      {},
      'open',
      /file/,
    ],
    [
      'the owner leaves a file open',
      [shut, deep, took(outside('file', { path: '/x.pdf' }), 'allowed'), inside],
      {},
      'protected',
      /Открыто намеренно: \/x\.pdf/,
    ],
    [
      'requests exceeded the limits of the probe',
      [shut, deep, inside],
      { unfit: 3 },
      'protected',
      /Не поместилось в проверку: 3 запроса/,
    ],
    [
      'the probe found no links',
      [shut, deep, inside],
      { emptySample: true },
      'protected',
      /добавьте начальные пути/,
    ],
    [
      'the server denies a stranger and then stops answering',
      [shut, deep, { ...took(outside('file'), 'unclear'), detail: silence }, inside],
      {},
      'unknown',
      /блокирует проверяющего/,
    ],
    [
      'the host had too many probes',
      [shut, deep, { ...took(outside('file'), 'inconclusive'), detail: { code: 'host_busy' } }, inside],
      {},
      'unknown',
      /слишком часто/,
    ],
    [
      'the site answers the proxy with another status',
      [shut, deep, took(through(), 'rejected')],
      {},
      'unknown',
      /не открылся: .*rejected/,
    ],
    [
      'the site denies the first page and opens a start path',
      [shut, deep, took(through(), 'denied'), took({ ...through(), path: '/base/' }, 'open')],
      {},
      'protected',
      /отказом/,
    ],
    [
      'the site denies the first page by another scheme than that of the open start path',
      [shut, deep, took(through(3, 'http'), 'denied'), took({ ...through(), path: '/base/' }, 'open')],
      {},
      'closed',
      /закрыт/,
    ],
    ['the site denies every proxy', [shut, took(through(), 'denied')], {}, 'closed', /through 3/],
    [
      'the site denies one proxy of two',
      [shut, inside, took(through(4), 'denied')],
      {},
      'closed',
      /through 4/,
    ],
    [
      'the site answers no request',
      [took(outside(), 'no_connection'), took(through(), 'no_connection')],
      {},
      'down',
      /не ответил/,
    ],
    [
      'the server refuses every connection',
      [took(outside(), 'refused'), took(through(), 'no_connection')],
      seen,
      'down',
      /не ответил/,
    ],
    [
      'a firewall drops the proxy and the lock denies strangers',
      [shut, deep, took(through(), 'no_connection')],
      {},
      'closed',
      /не отвечает/,
    ],
    [
      'the site fails for strangers and the proxy',
      [took(outside(), 'server_error'), took(through(), 'server_error')],
      {},
      'server_error',
      /./,
    ],
    [
      'the site fails only for the proxy',
      [shut, took(through(), 'server_error')],
      {},
      'server_error',
      /through 3/,
    ],
    [
      'a CDN answers strangers',
      [took(outside(), 'denied', 'Cloudflare'), inside],
      {},
      'cdn',
      /отказать мог и CDN/,
    ],
    [
      'the lock denies the CDN itself',
      [took(outside(), 'denied', 'Qrator'), took(through(), 'denied')],
      {},
      'cdn',
      /закрыт для всех/,
    ],
    ['the proxy is unreachable', [shut, took(through(), 'inconclusive')], {}, 'unknown', /сайт не открылся/],
    [
      'one proxy of two is unreachable',
      [shut, inside, took(through(4), 'inconclusive')],
      {},
      'unknown',
      /through 4/,
    ],
    [
      'the probe and the proxy share an egress address',
      [took(outside(), 'inconclusive'), inside],
      { insider: true },
      'unknown',
      /того же адреса/,
    ],
    [
      'the probe and the proxy share an egress address, which the site denies',
      [took(through(), 'denied')],
      { insider: true },
      'closed',
      /./,
    ],
    [
      'another company holds the host',
      [shut, took(through(), 'inconclusive')],
      { held: true },
      'unknown',
      /за другой компанией/,
    ],
    [
      'the site is open and another company holds the host',
      [took(outside(), 'open')],
      { held: true },
      'open',
      /./,
    ],
    ['the time limit ends the probe', [shut, inside], { unfinished: true }, 'unknown', /не успела/],
    [
      'the site denies a vantage, and the lock allows this machine',
      [...home.map((step) => took(step, 'denied')), inside],
      { insider: true, vantages: [dacha] },
      'protected',
      /точки «Дача»/,
    ],
    [
      'the site is open to a vantage, and the lock allows this machine',
      [took(fromHome, 'open'), inside],
      { insider: true, vantages: [dacha] },
      'open',
      /С точки «Дача»/,
    ],
    [
      'the site is open to a vantage and denies this machine',
      [shut, deep, took(fromHome, 'open'), inside],
      { vantages: [dacha] },
      'open',
      /С точки «Дача»/,
    ],
    [
      'the site is open to this machine and denies a vantage',
      [took(outside(), 'open'), ...home.map((step) => took(step, 'denied')), inside],
      { vantages: [dacha] },
      'open',
      /мимо «Пропуска», хотя другим посторонним отвечает отказом.*outside plain: .*open/,
    ],
    [
      'the site is open to this machine, and no egress address is known',
      [took(outside(), 'open'), inside],
      { egressKnown: false },
      'open',
      /видят ли его другие посторонние, отсюда не узнать/,
    ],
    [
      'a vantage refuses to request a private address',
      [
        shut,
        deep,
        { ...took(fromHome, 'inconclusive'), detail: { code: 'vantage_private' } as const },
        inside,
      ],
      { vantages: [dacha] },
      'unknown',
      /внутренний адрес, а с точки «Дача» такие не открываются/,
    ],
    [
      'a vantage does not report',
      [
        shut,
        deep,
        { ...took(fromHome, 'inconclusive'), detail: { code: 'vantage_silent' } as const },
        inside,
      ],
      { vantages: [dacha] },
      'unknown',
      /точки «Дача»: ответа не было/,
    ],
    [
      'the site is silent to a vantage without confirmed egress',
      [shut, deep, took(fromHome, 'no_connection'), inside],
      { vantages: [dacha] },
      'unknown',
      /открыть не удалось/,
    ],
    [
      'the site is silent to a vantage with confirmed egress',
      [shut, deep, took(fromHome, 'no_connection'), inside],
      { vantages: [{ ...dacha, connectivity: { confirmed: [4], failed: [] } }] },
      'protected',
      /точки «Дача»/,
    ],
    [
      'the only vantage is at the address that the lock allows',
      [inside],
      { insider: true, vantages: [{ ...dacha, insider: true }] },
      'unknown',
      /с адреса точки «Дача»/,
    ],
    [
      'the vantages are away, and the lock allows this machine',
      [inside],
      { insider: true, away: ['Дача'] },
      'unknown',
      /точки «Дача», но связи с ней/,
    ],
    ['an inconclusive response', [took(outside(), 'unclear'), inside], {}, 'unknown', /не понять, закрыт ли/],
    [
      'a failed TLS handshake',
      [shut, took(outside(), 'no_tls'), inside],
      {},
      'unknown',
      /не понять, закрыт ли/,
    ],
    ['the site only redirects', [took(outside(), 'redirect'), inside], {}, 'unknown', /переадресует/],
    ['there was no request from outside', [inside], {}, 'unknown', /./],
    [
      'no egress address is known for spoofed headers',
      [shut, deep, inside],
      { egressKnown: false },
      'unknown',
      /подделкой/,
    ],
    [
      'a name without DNS records',
      [took({ vantage: 'outside', kind: 'unresolved', host: 'x.ru', title: text('') }, 'inconclusive')],
      {},
      'unknown',
      /DNS/,
    ],
    [
      'a name with an internal address',
      [
        shut,
        inside,
        took({ vantage: 'outside', kind: 'address_refused', host: 'x.ru', title: text('') }, 'inconclusive'),
      ],
      {},
      'unknown',
      /внутренний/,
    ],
  ])('the verdict follows from the step results: %s', (_, taken, known, verdict, meaning) => {
    const found = decideVerdict(taken, { ...usual, ...known });
    expect(found.verdict).toBe(verdict);
    expect(sayCheck(found.meaning)).toMatch(meaning);
    expect(found.advice === null).toBe(verdict === 'protected');
  });

  test('the verdict is never protected when one vantage finds the site open and another reports denials', () => {
    let protectedSites = 0;
    for (let round = 0; round < 10_000; round++) {
      const honest = { ...dacha, id: 2, name: 'Честная' };
      const steps = planVantage([outside(), outside('spoofed'), outside('deep'), outside('acme')], honest);
      const seen = steps.map((step) => took(step, Math.random() < 0.7 ? 'denied' : 'inconclusive'));
      const open = took(steps[Math.floor(Math.random() * steps.length)] as OutsideStep, 'open');
      const lies = home.map((step) => took(step, 'denied'));
      const results = [...lies, ...seen, open, inside].sort(() => Math.random() - 0.5);
      const context = { ...usual, insider: Math.random() < 0.5, vantages: [dacha, honest] };
      if (decideVerdict(results, context).verdict === 'protected') protectedSites++;
    }
    expect(protectedSites).toBe(0);
  });
});
