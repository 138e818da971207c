import { threats } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';
import { filesByThreat } from './threat-files.ts';

test.each(threats)('the threat "%s" has a test file', (threat) => {
  expect(filesByThreat()[threat]).not.toEqual([]);
});
