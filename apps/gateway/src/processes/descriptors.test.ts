import { overloadSettings } from '@propusk/overload/settings';
import { expect, test } from 'vitest';
import { LIMITS } from '../policy/concurrency-limits.ts';
import { shareDescriptors } from './descriptors.ts';

/** LimitNOFILE of the Debian package (deploy/propusk-gateway.service). */
const OPEN_FILES = 65_536;
const sockets = overloadSettings.SOCKETS.schema.parse(undefined);

test('a process of the Debian package accepts more client connections than the documented limit of 20,000 tunnels', () => {
  const { clients, limits } = shareDescriptors(OPEN_FILES, sockets);
  expect(limits).toEqual(LIMITS);
  expect(clients).toBeGreaterThan(LIMITS.total);
});

test('a lower limit of open files lowers the number of client connections', () => {
  expect(shareDescriptors(10_000, sockets).clients).toBe(4_000);
});
