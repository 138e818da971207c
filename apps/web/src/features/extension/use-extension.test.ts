import { describe, expect, it } from 'vitest';
import { heardFrom } from './use-extension.ts';

describe('what the extension says on the page', () => {
  it.each([
    [{}, null],
    [{ propuskExtension: '' }, 'there'],
    [{ propuskExtension: '1.0.0' }, 'there'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'yes' }, 'yes'],
    [{ propuskExtension: '1.0.0', propuskPaired: 'refused' }, 'refused'],
    [{ propuskPaired: 'failed' }, 'failed'],
    // A word of a newer extension is none that this page knows.
    [{ propuskExtension: '9.0.0', propuskPaired: 'almost' }, 'there'],
  ] as const)('%o means %s', (said, heard) => {
    expect(heardFrom(said)).toBe(heard);
  });
});
