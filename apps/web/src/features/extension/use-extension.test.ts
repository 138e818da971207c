import { describe, expect, it } from 'vitest';
import { statusOf } from './use-extension.ts';

describe("the extension's marks on the page", () => {
  it.each([
    [{}, null],
    [{ propuskExtension: '' }, 'there'],
    [{ propuskExtension: '1.0.0' }, 'there'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'yes' }, 'yes'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'refused' }, 'refused'],
    [{ propuskPaired: 'failed' }, 'failed'],
    // The console ignores an outcome that it does not know, which a newer extension may report.
    [{ propuskExtension: '9.0.0', propuskPaired: 'almost' }, 'there'],
  ] as const)('the marks %o mean %s', (marks, status) => {
    expect(statusOf(marks)).toBe(status);
  });
});
