import { expect, test } from 'vitest';
import { ProxyError, type ProxyErrorReason } from '../proxy-error.ts';
import { answerBytes, answerRefusal, phrases } from './refusal.ts';
import { refusalPage } from './refusal-page.ts';

const reasons = Object.keys(phrases) as ProxyErrorReason[];
const statusOf = (reason: ProxyErrorReason) => answerRefusal(new ProxyError(reason), '', '').status;

test.each(reasons)('the refusal page for the reason %s is complete', (reason) => {
  const answer = answerRefusal(new ProxyError(reason), 'crm.example.ru', 'https://console.test');
  const headers = Object.fromEntries(
    Array.from({ length: answer.headers.length / 2 }, (_, i) => answer.headers.slice(i * 2, i * 2 + 2)),
  );
  expect(headers['X-Propusk-Reason']).toBe(reason);
  const policy = headers['Content-Security-Policy'] ?? '';
  expect(policy).not.toMatch(/script|\*|https?:/);
  for (const none of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
    expect(policy).toContain(`${none} 'none'`);
  }
  expect(Number(headers['Content-Length'])).toBe(Buffer.byteLength(answer.body));
  expect('Proxy-Authenticate' in headers).toBe(answer.status === 407);
  expect(answer.body).toContain('crm.example.ru');
  expect(answer.body).toContain('href="https://console.test"');
  expect(answer.body).toContain(phrases[reason].why);
  expect(answer.body).toContain(phrases[reason].advice);
  expect(answerBytes(answer, 'X')).toMatch(
    new RegExp(`^HTTP/1\\.1 ${answer.status} X\r\n[^]*Connection: close\r\n\r\n<!doctype`),
  );
});

test('the refusal page shows a .рф site in Unicode', () => {
  const { body } = answerRefusal(new ProxyError('no_policy'), 'xn--e1afmkfd.xn--p1ai:8443', '');
  expect(body).toContain('пример.рф:8443');
  expect(body).not.toContain('xn--');
});

test('every refusal reason has the right HTTP status', () => {
  const of = (status: number) => reasons.filter((reason) => statusOf(reason) === status);
  expect(of(407)).toEqual(['no_credentials', 'bad_credentials', 'expired']);
  expect(of(400)).toEqual(['bad_host', 'bad_request', 'loop']);
  expect(of(502)).toEqual([
    'resolve_failed',
    'no_family',
    'connect_failed',
    'bad_response',
    'upstream_failed',
  ]);
  expect(of(503)).toEqual(['clock_unknown', 'names_busy', 'snapshot_stale', 'too_many', 'stopping']);
  expect(of(504)).toEqual(['timeout']);
  expect(of(403)).toHaveLength(reasons.length - 17);
});

test('the refusal page escapes every text that it inserts', () => {
  const evil = `</h1><script>alert("x")</script>'&`;
  const text = { site: evil, why: evil, advice: '', consoleUrl: `https://c.test/"${evil}` };
  const body = refusalPage(502, 'upstream_failed', text);
  expect(body).not.toMatch(/<script|alert\("|"<|'&/);
  expect(body.match(/&lt;script&gt;alert\(&quot;x&quot;\)&lt;\/script&gt;&#39;&amp;/g)).toHaveLength(4);
});
