import { describe, expect, it } from 'vitest';
import { readMailLink } from './mail-link.ts';

const token = 'Ab_-09'.repeat(7);

describe('the fragment of a mail link', () => {
  it('readMailLink reads password links, email links and confirmations', () => {
    expect(readMailLink(`#token=${token}&for=password`)).toEqual({ token, kind: 'password' });
    expect(readMailLink(`#token=${token}&for=confirm`)).toEqual({ token, kind: 'confirm' });
    expect(readMailLink(`token=${token}&for=email`)).toEqual({ token, kind: 'email' });
    expect(readMailLink(`#for=email&token=${token}&utm_source=mail`)).toEqual({ token, kind: 'email' });
  });
  it.each([
    '',
    '#',
    '#token=',
    '#token=%20&for=email',
    `#token=${token}`,
    `#token=${token}&for=other`,
    '#for=email',
  ])('readMailLink returns null for the fragment %s', (fragment) => {
    expect(readMailLink(fragment)).toBeNull();
  });
});
