import { setupPhrases } from '@propusk/phrases/setup';
import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

const { unfit } = setupPhrases;
const [DOMAIN, MAIL] = ['pass.example.ru', 'admin@example.ru'];

test.each<[args: string[], said: string]>([
  [[], unfit.missing()],
  [['nodots', MAIL], unfit.domain('nodots')],
  [['https://pass.example.ru', MAIL], unfit.domain('https://pass.example.ru')],
  [['pass.example.ru:443', MAIL], unfit.domain('pass.example.ru:443')],
  [['pass.example.ru.', MAIL], unfit.domain('pass.example.ru.')],
  [['203.0.113.5', MAIL], unfit.domain('203.0.113.5')],
  [[MAIL, DOMAIN], unfit.domain(MAIL)],
  [[DOMAIN], unfit.missing()],
  [[DOMAIN, 'nomail'], unfit.mail('nomail')],
  [[DOMAIN, MAIL, 'more'], unfit.extra('more')],
  [[DOMAIN, MAIL, '--owner', MAIL], unfit.owner()],
  [[DOMAIN, MAIL, '--smtp', 'smtp://user:secret@mx.test'], unfit.smtp()],
  [[DOMAIN, MAIL, '--gateway', 'https://gw'], unfit.gateway()],
  [[DOMAIN, MAIL, '--tls', 'internal'], unfit.tls()],
  [[DOMAIN, MAIL, '--tls', 'files'], unfit.files()],
  [[DOMAIN, MAIL, '--cert', '/c.pem'], unfit.files()],
  [[DOMAIN, MAIL, '--wait', 'long'], unfit.wait()],
  [[DOMAIN, MAIL, '--bogus'], unfit.option('--bogus')],
  [[DOMAIN, MAIL, '-q'], unfit.option('-q')],
  [[DOMAIN, MAIL, '--tls'], unfit.value('--tls')],
  [[DOMAIN, MAIL, '--tls', '--yes'], unfit.value('--tls')],
  [[DOMAIN, MAIL, '--yes=1'], unfit.value('--yes')],
])('readOptions refuses the arguments %j with a sentence that says what to type', (args, said) => {
  expect(() => readOptions(args)).toThrow(said);
  expect(said).toMatch(/propusk setup|--\w+ [\wА-Я-]/);
});

test('readOptions accepts a domain of .рф and gives its ASCII form', () => {
  expect(readOptions(['пропуск.рф', MAIL])).toMatchObject({ domain: 'xn--j1ahcbdin.xn--p1ai', mail: MAIL });
});
