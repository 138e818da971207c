import { expect, test } from 'vitest';
import { timesOf } from './own-times.ts';

const now = '2026-11-28T12:00:00.000Z';
const [earlier, soon, later] = [
  '2026-11-28T11:00:00.000Z',
  '2026-11-28T15:00:00.000Z',
  '2026-12-05T06:00:00.000Z',
];
const SITE = 7;
const policy = (open: boolean, changesAt: string | null, until: string | null = null) => ({
  allSites: false,
  sites: [{ id: SITE, name: 'crm.romashka.ru' }],
  users: [{ id: 42, name: 'Anna', until }],
  open,
  changesAt,
});
const opened = (until: string | null) => ({ open: true, until });
const closed = (until: string | null) => ({ open: false, until });

test.each([
  ['a policy without times leaves the site open', [policy(true, null)], opened(null)],
  ['an open policy closes at its next change', [policy(true, soon)], opened(soon)],
  ['a membership that ends before the policy closes the site', [policy(true, later, soon)], opened(soon)],
  ['a closed policy opens at its next change', [policy(false, soon)], closed(soon)],
  ['an ended policy does not open', [policy(false, null)], closed(null)],
  ['an ended membership does not open', [policy(true, later, earlier)], closed(null)],
  [
    'a membership that ends before the policy opens does not open',
    [policy(false, later, soon)],
    closed(null),
  ],
  [
    'a policy without times prevails over a closed one',
    [policy(false, soon), policy(true, null)],
    opened(null),
  ],
  ['of two open policies the last end counts', [policy(true, later), policy(true, soon)], opened(later)],
  [
    'of two closed policies the first begin counts',
    [policy(false, later), policy(false, soon)],
    closed(soon),
  ],
  [
    'a policy for all sites opens the site',
    [{ ...policy(true, soon), allSites: true, sites: [] }],
    opened(soon),
  ],
  ['a policy of other sites says nothing', [{ ...policy(true, soon), sites: [] }], undefined],
  ['a policy without the user says nothing', [{ ...policy(true, soon), users: [] }], undefined],
])('%s', (_, policies, times) => {
  expect(timesOf(SITE, policies, 42, now)).toEqual(times);
});
