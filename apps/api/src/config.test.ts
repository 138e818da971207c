import { SettingError } from '@propusk/contract/settings';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

describe('mail settings', () => {
  test.each([
    [{}, undefined, 'Пропуск <no-reply@localhost>'],
    [{ PUBLIC_URL: 'https://pass.example.ru' }, undefined, 'Пропуск <no-reply@pass.example.ru>'],
    [{ PUBLIC_URL: 'http://[::1]:3000' }, undefined, 'Пропуск <no-reply@localhost>'],
    [{ SMTP_URL: 'smtp://mx.example.ru' }, 'smtp://mx.example.ru', 'Пропуск <no-reply@localhost>'],
    [
      { SMTP_URL: 'smtps://ivan%40example.ru:p%25w@mx.example.ru:465' },
      'smtps://ivan%40example.ru:p%25w@mx.example.ru:465',
      'Пропуск <ivan@example.ru>',
    ],
    [{ MAIL_FROM: 'Вход в CRM <crm@example.ru>' }, undefined, 'Вход в CRM <crm@example.ru>'],
    [{ MAIL_FROM: 'crm@localhost' }, undefined, 'crm@localhost'],
  ])('the api reads the mail settings from %j', (env, smtpUrl, mailFrom) => {
    expect(readConfig(env)).toMatchObject({ smtpUrl, mailFrom });
  });

  test.each([
    ['SMTP_URL', 'mx.example.ru'],
    ['SMTP_URL', 'http://mx.example.ru'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://ivan:p%w@mx.example.ru'],
    // In the next three passwords, an unencoded #, / or ? ends the host part, so URL parsers read `ivan` as the host.
    ['SMTP_URL', 'smtp://ivan:1#w@mx.example.ru'],
    ['SMTP_URL', 'smtp://ivan:1/w@mx.example.ru'],
    ['SMTP_URL', 'smtp://ivan:1?w@mx.example.ru'],
    ['MAIL_FROM', 'ivan'],
    ['MAIL_FROM', 'a@b.ru, c@d.ru'],
    ['MAIL_FROM', 'Иван <a@b.ru>\r\nBcc: c@d.ru'],
  ])('the api refuses to start with %s=%s and names the setting', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(SettingError);
    expect(read).toThrow(new RegExp(`^Настройка ${name} задана неверно`));
  });

  test('the error for an invalid SMTP_URL omits its password', () => {
    expect(() => readConfig({ SMTP_URL: 'smpt://ivan:canary@mx.example.ru' })).toThrow(/^(?!.*canary)/s);
  });

  test('the error for an unencoded #, /, ? or % in the password of SMTP_URL shows the percent-encoding', () => {
    const read = (password: string) => () =>
      readConfig({ SMTP_URL: `smtp://ivan:${password}@mx.example.ru` });
    for (const sign of '#/?%') expect(read(`p${sign}w`)).toThrow(`${sign} → ${encodeURIComponent(sign)}`);
    expect(read(encodeURIComponent('p#/?%w'))).not.toThrow();
  });
});

describe('TRUST_PROXY', () => {
  test.each([
    [undefined, []],
    ['127.0.0.1', ['127.0.0.1']],
    [' 10.0.0.0/8, fd00::/8 ,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
  ])('TRUST_PROXY=%j parses to the networks %j', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
  });

  test.each([
    'proxy.example.ru',
    'true',
    '1',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.1 10.0.0.2',
  ])('the api refuses to start with TRUST_PROXY=%s', (value) => {
    expect(() => readConfig({ TRUST_PROXY: value })).toThrow(
      `Настройка TRUST_PROXY задана неверно: «${value}». Она принимает: адреса и сети обратных прокси через запятую, например 127.0.0.1,10.0.0.0/8`,
    );
  });
});

test('DATA_DIR resolves to an absolute path that contains the mail folder', () => {
  expect(readConfig({})).toMatchObject({
    dataDir: `${process.cwd()}/data`,
    mailFolder: `${process.cwd()}/data/mail`,
  });
  expect(readConfig({ DATA_DIR: '/srv/pass' }).mailFolder).toBe('/srv/pass/mail');
});

test('the echo URL defaults to PUBLIC_URL unless ECHO_URL is set', () => {
  expect(readConfig({ PUBLIC_URL: 'https://pass.example.ru' }).echoUrl.href).toBe('https://pass.example.ru/');
  const named = readConfig({ PUBLIC_URL: 'http://10.0.0.5:3000', ECHO_URL: 'https://pass.example.ru' });
  expect(named.echoUrl.href).toBe('https://pass.example.ru/');
  expect(() => readConfig({ ECHO_URL: 'https://pass.example.ru/path' })).toThrow(/^Настройка ECHO_URL/);
});

test.each([
  [{}, 'open'],
  [{ PUBLIC_URL: 'http://localhost:3000', HOST: '0.0.0.0' }, 'open'],
  [{ PUBLIC_URL: 'http://[::1]:3000' }, 'open'],
  [{ PUBLIC_URL: 'https://pass.example.ru' }, 'first'],
  [{ PUBLIC_URL: 'http://127.example.ru' }, 'first'],
  [{ HOST: '0.0.0.0' }, 'first'],
  [{ PUBLIC_URL: 'https://pass.example.ru', REGISTRATION: 'invited' }, 'invited'],
  [{ REGISTRATION: 'closed' }, 'closed'],
] as const)('the api reads from %j the rule of registration %s', (env, registration) => {
  expect(readConfig(env).registration).toBe(registration);
});

test('an api with a PUBLIC_URL that is not loopback requires confirmed mailboxes', () => {
  const beyond = { PUBLIC_URL: 'https://pass.example.ru' };
  expect(readConfig({}).confirmsMail).toBe(false);
  expect(readConfig({ REGISTRATION: 'open' }).confirmsMail).toBe(false);
  expect(readConfig(beyond).confirmsMail).toBe(true);
  expect(() => readConfig({ ...beyond, REGISTRATION: 'open' })).toThrow(/^REGISTRATION=open .*SMTP_URL/);
  const open = { ...beyond, REGISTRATION: 'open', SMTP_URL: 'smtp://mx.example.ru' };
  expect(readConfig(open)).toMatchObject({ registration: 'open', confirmsMail: true });
});
