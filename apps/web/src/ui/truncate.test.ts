import { describe, expect, it } from 'vitest';
import { truncated } from './truncate.ts';

describe('truncated', () => {
  it('shows a text of 35 characters whole', () => {
    expect(truncated('я'.repeat(35))).toBeUndefined();
  });
  it('cuts a text after 35 characters', () => {
    expect(truncated('я'.repeat(36))).toBe(`${'я'.repeat(35)}…`);
  });
  it('counts an emoji as one character', () => {
    expect(truncated('🚪'.repeat(35))).toBeUndefined();
    expect(truncated('🚪'.repeat(36))).toBe(`${'🚪'.repeat(35)}…`);
  });
  it('leaves no space before the ellipsis', () => {
    expect(truncated('ab cd', 3)).toBe('ab…');
  });
});
