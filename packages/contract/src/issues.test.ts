import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { Login } from './auth.ts';
import { issueMessage } from './issues.ts';
import { PolicyInput } from './policies.ts';
import { ProxyInput } from './proxies.ts';

function sentences(schema: z.ZodMiniType, input: unknown): Record<string, string> {
  const result = schema.safeParse(input, { error: issueMessage });
  const issues = result.success ? [] : result.error.issues;
  return Object.fromEntries(issues.map((issue) => [issue.path.join('.'), issue.message]));
}

describe('issueMessage', () => {
  it('asks for what is empty', () => {
    expect(sentences(Login, { email: '', password: '' })).toEqual({
      email: 'Заполните это поле',
      password: 'Заполните это поле',
    });
  });
  it('says what an address and a password look like', () => {
    expect(sentences(Login, { email: 'anna', password: 'short' })).toEqual({
      email: 'Укажите почту латиницей: name@company.ru',
      password: 'Не короче 8 символов',
    });
  });
  it.each(['99', '70000', '80a0', '0443'])('says what a port is: %s', (port) => {
    const proxy = { host: 'proxy.example.ru', port, username: 'user', password: 'secret' };
    expect(sentences(ProxyInput, proxy)).toEqual({ port: 'Целое число от 1000 до 65535' });
  });
  it('asks to choose what was not chosen', () => {
    expect(sentences(PolicyInput, { name: 'Бухгалтерия' })).toEqual({ proxyId: 'Выберите значение' });
  });
  it('names the limit of a long text', () => {
    const policy = { name: 'я'.repeat(201), proxyId: 1 };
    expect(sentences(PolicyInput, policy)).toEqual({ name: 'Не длиннее 200 символов' });
  });
});
