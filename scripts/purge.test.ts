import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const postrm = readFileSync('deploy/debian/postrm', 'utf8');
/** The paths in the variable `data` of postrm. */
const listed = execFileSync('sh', ['-c', `${/^data="[^"]+"$/m.exec(postrm)?.[0]}; echo $data`], {
  encoding: 'utf8',
}).trim();

test('the documented command after a purge deletes the same paths as a purge with PROPUSK_PURGE_DATA', () => {
  expect(readFileSync('docs/operating/debian.md', 'utf8')).toContain(`\n    rm -rf ${listed}\n`);
});

test('a purge with PROPUSK_PURGE_DATA deletes every folder that a unit makes or the documentation names', () => {
  const roots = { StateDirectory: '/var/lib/', LogsDirectory: '/var/log/' };
  const ofUnits = globSync('deploy/{,debian/}*.service').flatMap((unit) =>
    [...readFileSync(unit, 'utf8').matchAll(/^(StateDirectory|LogsDirectory)=(.+)$/gm)].map(
      ([, kind = '', name]) => `${roots[kind as keyof typeof roots]}${name}`,
    ),
  );
  const page = readFileSync('docs/operating/debian.md', 'utf8');
  const named = [...page.matchAll(/^\| `(\/(?:etc|var)\/[\w./-]+)`/gm)].map(([, path = '']) => path);
  expect(Math.min(ofUnits.length, named.length)).toBeGreaterThan(5);
  const paths = listed.split(/\s+/);
  const isListed = (path: string) => paths.some((each) => path === each || path.startsWith(`${each}/`));
  expect([...ofUnits, ...named].filter((path) => !isListed(path))).toEqual([]);
});
