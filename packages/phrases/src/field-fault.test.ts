import { Login } from '@propusk/contract/auth';
import { Phone } from '@propusk/contract/fields';
import { PolicyInput } from '@propusk/contract/policies';
import { ProxyInput } from '@propusk/contract/proxies';
import { Registration } from '@propusk/contract/registration';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { faultOf } from './field-fault.ts';
import { render } from './phrase.ts';
import { schemaFaults } from './ru/fields.ts';

function sentences(schema: z.ZodMiniType, input: unknown): Record<string, string> {
  const result = schema.safeParse(input, { error: (issue) => render(schemaFaults, faultOf(issue)) });
  const issues = result.success ? [] : result.error.issues;
  return Object.fromEntries(issues.map((issue) => [issue.path.join('.'), issue.message]));
}

describe('the faults of a field', () => {
  it('the fault of an empty field asks for a value', () => {
    expect(sentences(Login, { email: '', password: '' })).toEqual({
      email: 'Заполните это поле',
      password: 'Заполните это поле',
    });
  });
  it('the faults of an invalid email address and a short password describe a valid value', () => {
    expect(sentences(Login, { email: 'anna@', password: 'short' }).email).toBe('После @ нет имени сервера');
    expect(sentences(Login, { email: 'anna', password: 'short' })).toEqual({
      email: 'Укажите почту, до @ латиницей: name@company.ru',
      password: 'Не короче 8 символов',
    });
  });
  it.each(['99', '70000', '80a0', '0443'])('the fault of the port %s names the valid ports', (port) => {
    const proxy = { host: 'proxy.example.ru', port, username: 'user', password: 'secret' };
    expect(sentences(ProxyInput, proxy)).toEqual({ port: 'Целое число от 1000 до 65535' });
  });
  it('the faults of a short company name and a short site suggest what to add', () => {
    const { companyName, companySite } = Registration.shape;
    expect(
      sentences(z.object({ companyName, companySite }), { companyName: 'Ян', companySite: 't.me' }),
    ).toEqual({
      companyName: 'Не короче 5 символов: допишите форму, например ООО «Ян»',
      companySite: 'Не короче 5 символов: допишите начало, например https://t.me',
    });
  });
  it('the fault of an unfinished phone number gives an example', () => {
    expect(sentences(z.object({ phone: Phone }), { phone: '+7 912 345' })).toEqual({
      phone: 'Укажите номер целиком: +7 912 345 67 89',
    });
  });
  it('the fault of a missing choice asks the user to choose a value', () => {
    expect(sentences(PolicyInput, { name: 'Бухгалтерия' })).toEqual({ proxyId: 'Выберите значение' });
  });
  it('the fault of a long text names the maximum length', () => {
    const policy = { name: 'я'.repeat(201), proxyId: 1 };
    expect(sentences(PolicyInput, policy)).toEqual({ name: 'Не длиннее 200 символов' });
  });
});
