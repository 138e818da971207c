import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { threats } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';
import { filesByThreat, testFiles } from './threat-files.ts';

test.each(threats)('the threat "%s" has a test file', (threat) => {
  expect(filesByThreat()[threat]).not.toEqual([]);
});

test('every test file that SECURITY.md cites exists', () => {
  const cited = readFileSync('SECURITY.md', 'utf8').match(/(?<=`)[\w.-]+\.(test|spec)\.ts(?=`)/g) ?? [];
  const names = new Set(testFiles.map((file) => basename(file)));
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter((name) => !names.has(name))).toEqual([]);
});
