import { sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';

describe('the meaning of a probe whose request through a proxy failed', () => {
  const failed = (proxy: string | null) =>
    sayCheck({
      code: 'through_failed',
      params: {
        title: { code: 'through_get', params: { proxy, url: 'https://crm.example.ru' } },
        detail: { code: 'proxy_unavailable' },
      },
    });

  test('the meaning of a failed request names the proxy, or the platform’s gateway', () => {
    expect(failed('proxy.example.ru')).toBe(
      'Через прокси «proxy.example.ru» сайт не открылся: прокси недоступен.',
    );
    expect(failed(null)).toBe('Через шлюз платформы сайт не открылся: прокси недоступен.');
  });
});
