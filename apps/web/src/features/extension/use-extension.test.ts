import { describe, expect, it } from 'vitest';
import { statusOf } from './use-extension.ts';

describe("the extension's data attributes", () => {
  it.each([
    [{}, null],
    [{ propuskExtension: '' }, 'there'],
    [{ propuskExtension: '1.0.0' }, 'there'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'yes' }, 'yes'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'refused' }, 'refused'],
    [{ propuskPaired: 'failed' }, 'failed'],
    // The console ignores an outcome that it does not know, which a newer extension may report.
    [{ propuskExtension: '9.0.0', propuskPaired: 'almost' }, 'there'],
  ] as const)('the data attributes %o mean the status %s', (attributes, status) => {
    expect(statusOf(attributes)).toBe(status);
  });
});
