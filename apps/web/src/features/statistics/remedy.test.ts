import { describe, expect, it } from 'vitest';
import { type Refusal, remedyOf } from './remedy.ts';

const user = { id: 2, name: 'Анна Орлова' };
const site = { id: 1, name: 'crm.romashka.ru' };
const refusal = { reason: 'no_policy', user, host: site.name, site };

describe('the remedy of a refusal', () => {
  it.each<[string, Partial<Refusal>, ReturnType<typeof remedyOf>]>([
    ['a site that the user may not open', {}, 'check'],
    ['a site that did not reply', { reason: 'timeout' }, 'check'],
    ['a host that is no site', { reason: 'site_unknown', site: null }, 'add'],
    ['a site that was deleted meanwhile', { site: null }, 'add'],
    ['several hosts', { reason: 'site_unknown', site: null, host: '*' }, null],
    ['no host', { reason: 'site_unknown', site: null, host: '' }, null],
    ['a site of another company', { reason: 'host_taken', site: null }, null],
    ['an address instead of a name', { reason: 'bad_host', site: null, host: '10.0.0.1' }, null],
    ['wrong credentials', { reason: 'bad_credentials', user: null }, null],
    ['a user without a stored name', { user: { id: 2, name: '' } }, null],
  ])('for %s, remedyOf offers the action that helps', (_, some, remedy) => {
    expect(remedyOf({ ...refusal, ...some })).toBe(remedy);
  });
});
