import { sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';

describe('the meaning of a probe that got nothing through a proxy', () => {
  const failed = (proxy: string | null) =>
    sayCheck({
      code: 'through_failed',
      params: {
        title: { code: 'through_get', params: { proxy, url: 'https://crm.example.ru' } },
        detail: { code: 'proxy_unavailable' },
      },
    });

  test('names the proxy, and the gateway as the platform’s', () => {
    expect(failed('proxy.example.ru')).toBe(
      'Через прокси «proxy.example.ru» сайт не открылся: прокси недоступен.',
    );
    expect(failed(null)).toBe('Через шлюз платформы сайт не открылся: прокси недоступен.');
  });

  test('quotes the step of a probe that was stored before its proxy had a parameter', () => {
    const title = { code: 'legacy', params: { text: 'Через squid' } };
    const detail = { code: 'legacy', params: { text: 'нет ответа' } };
    expect(sayCheck({ code: 'through_failed', params: { title, detail } })).toBe(
      'Через прокси политики сайт не открылся. Через squid: нет ответа.',
    );
  });
});
