import { afterEach, expect, it, vi } from 'vitest';
import { withContacts } from './contacts.ts';
import { notesOf, refusalsOf } from './release.ts';

const changelog =
  '# Changelog\n\n## 0.2.0 (2026-12-01)\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 0.1.0\n\nThe first.\n\n## 0.0.9\n';
const contacts = { DEBEMAIL: 'a@example.ru', SUPPORT_CONTACT: '+7 999', SECURITY_CONTACT: 'b@example.ru' };
afterEach(() => vi.unstubAllEnvs());

it('notesOf cuts the section of one version', () => {
  expect(notesOf(changelog, '0.2.0')).toBe('## 0.2.0 (2026-12-01)\n\n- New.\n\n### Fixed\n\n- Old.\n');
  expect(notesOf(changelog, '0.1.0')).toBe('## 0.1.0\n\nThe first.\n');
});

it.each<
  [name: string, tree: { status?: string; log?: string; version?: string; env?: object }, refusals: RegExp[]]
>([
  ['a clean tree with dated notes and all contacts', {}, []],
  ['a changed file', { status: ' M README.md\n' }, [/последнего коммита.*: M README\.md$/]],
  ['a version without a section', { version: '0.2' }, [/нет раздела «## 0\.2»/]],
  ['an empty section', { version: '0.0.9' }, [/«## 0\.0\.9», или он пуст/]],
  ['an unreleased section', { log: changelog.replace('2026-12-01', 'Unreleased') }, [/0\.2\.0 в CHANGELOG/]],
  ['no maintainer', { env: { DEBEMAIL: undefined } }, [/DEBEMAIL/]],
  ['an empty support contact', { env: { SUPPORT_CONTACT: ' ' } }, [/SUPPORT_CONTACT/]],
  ['a placeholder', { env: { SECURITY_CONTACT: 'security@propusk.invalid' } }, [/SECURITY_CONTACT/]],
  ['several faults', { status: '?? a\n', env: { DEBEMAIL: 'nobody@invalid' } }, [/коммит/, /DEBEMAIL/]],
])(
  'a release of %s has its refusals',
  (_, { status = '', log = changelog, version = '0.2.0', env }, refusals) => {
    for (const [name, value] of Object.entries({ ...contacts, ...env })) vi.stubEnv(name, value);
    expect(refusalsOf(status, log, version)).toEqual(refusals.map((text) => expect.stringMatching(text)));
  },
);

it('withContacts keeps placeholders without a contact, and refuses a line break', () => {
  vi.stubEnv('SUPPORT_CONTACT', 'help@example.ru');
  vi.stubEnv('SECURITY_CONTACT', undefined);
  const text = 'support@propusk.invalid security@propusk.invalid';
  expect(withContacts(text)).toBe('help@example.ru security@propusk.invalid');
  vi.stubEnv('SECURITY_CONTACT', 'a@b.ru\nDepends: evil');
  expect(() => withContacts(text)).toThrow(/SECURITY_CONTACT/);
});
