import { describe, expect, it } from 'vitest';
import { truncated } from './truncate.ts';

describe('the truncation of a text', () => {
  it('a text of 35 characters is not truncated', () => {
    expect(truncated('я'.repeat(35))).toBeUndefined();
  });
  it('a text of 36 characters is truncated to 35 and an ellipsis', () => {
    expect(truncated('я'.repeat(36))).toBe(`${'я'.repeat(35)}…`);
  });
  it('truncation counts an emoji as one character', () => {
    expect(truncated('🚪'.repeat(35))).toBeUndefined();
    expect(truncated('🚪'.repeat(36))).toBe(`${'🚪'.repeat(35)}…`);
  });
  it('truncation leaves no space before the ellipsis', () => {
    expect(truncated('ab cd', 3)).toBe('ab…');
  });
});
