import type { AuditRow } from '@propusk/contract/audit';
import { describe, expect, it } from 'vitest';
import { detailsOf, sentenceOf } from './sentence.ts';

const row = (some: Partial<AuditRow>): AuditRow => ({
  id: 1,
  at: '2026-03-02T09:30:00.000Z',
  company: { id: 5, name: 'Ромашка' },
  actor: { id: 42, name: 'Иван Петров', email: 'ivan@romashka.ru', roles: [{ value: 'CREATOR' }] },
  address: '203.0.113.5',
  action: 'changed',
  object: { kind: 'policy', id: 7, name: 'Бухгалтерия' },
  changes: {},
  ...some,
});

describe('the sentence of an audit event', () => {
  it.each<[Partial<AuditRow>, string]>([
    [
      { changes: { users: { added: ['Анна', 'Вера', 'Глеб', 'Дина'], removed: ['Пётр'], moreAdded: 10 } } },
      'изменена политика доступа «Бухгалтерия»: добавлены пользователи: Анна, Вера, Глеб и ещё 11; убраны пользователи: Пётр',
    ],
    [
      { changes: { name: { from: 'Бух', to: 'Бухгалтерия' }, allSites: { from: false, to: true } } },
      'изменена политика доступа «Бухгалтерия»: название: Бух → Бухгалтерия; для всех сайтов: нет → да',
    ],
    [
      {
        object: { kind: 'plan', id: 1, name: 'Базовый' },
        changes: { name: { from: 'Старый', to: 'Базовый' } },
      },
      'изменён тариф «Базовый»: название: Старый → Базовый',
    ],
    [
      {
        object: { kind: 'user', id: 1, name: 'anna@romashka.ru' },
        changes: { surname: { from: 'Иванова' }, name: { to: 'Анна' }, password: {} },
      },
      'изменён пользователь anna@romashka.ru: имя: Анна; фамилия: Иванова → —; пароль: задан новый',
    ],
    [
      {
        action: 'created',
        object: { kind: 'site', id: 1, name: 'почта.рф' },
        changes: { address: { to: 'почта.рф' } },
      },
      'добавлен сайт почта.рф',
    ],
    [
      { action: 'deleted', object: { kind: 'company', id: 1, name: 'Ромашка' } },
      'удалена компания «Ромашка»',
    ],
    [
      { action: 'registered', object: { kind: 'company', id: 1, name: 'ООО «Ромашка»' } },
      'зарегистрирована компания «ООО „Ромашка“»',
    ],
    [
      {
        object: { kind: 'company', id: 1, name: '«Ромашка»' },
        changes: {
          planEndsAt: { from: '2026-11-30T21:00:00.000Z' },
          recordsCutAt: { to: '2026-12-05T08:00:00Z' },
        },
      },
      'изменена компания «Ромашка»: меньший срок и имена: в силе с: 05.12.2026; тариф действует до: 01.12.2026 → —',
    ],
    [
      {
        object: { kind: 'policy', id: 1, name: 'Смена' },
        changes: {
          validFrom: { from: '', to: '2026-11-30T21:00:00.000Z' },
          validUntil: { from: '2026-12-31T21:00:00.000Z', to: '' },
          windows: { from: '', to: '[[540,1080],[1980,2520]]' },
          ends: { added: ['Анна: 2026-12-31T21:00:00.000Z'] },
        },
      },
      'изменена политика доступа «Смена»: действует с: — → 01.12.2026; действует до: 31.12.2026 → —; часы: — → Пн–Вт 9:00–18:00; добавлены сроки участников: Анна: 31.12.2026',
    ],
    [
      { object: { kind: 'company', id: 1, name: 'Ромашка' }, changes: { phone: { to: '+79161234567' } } },
      'изменена компания «Ромашка»: телефон: +7 916 123-45-67',
    ],
    [{ action: 'signed_in', changes: { client: { to: 'extension' } } }, 'вход в расширение'],
    [{ action: 'signed_in', changes: { client: { to: 'console' } } }, 'вход в консоль'],
  ])('the audit event %o is described by the sentence %s', (some, sentence) => {
    expect(sentenceOf(row(some))).toBe(sentence);
  });
});

describe('the details of an audit event', () => {
  it('the details of an audit event show the old and new value of every field except secrets', () => {
    const changes = {
      port: { from: '3128', to: '8080' },
      password: {},
      roles: { removed: ['CREATOR'], moreRemoved: 2 },
    };
    const details = detailsOf(row({ object: { kind: 'proxy', id: 1, name: 'p' }, changes }));
    expect(details.map(({ label, before, after }) => [label, before, after])).toEqual([
      ['пароль', 'не показывается', 'задан новый'],
      ['роли', '− владелец и ещё 2', ''],
      ['порт', '3128', '8080'],
    ]);
  });
});
