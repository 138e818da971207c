import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Local addresses and ports of sockets to sites, in a network namespace with 50 local ports. */

const program = new URL('../../test-kit/src/gateway/few-ports-main.ts', import.meta.url).pathname;
const isolated = (...args: string[]) =>
  spawnSync('unshare', ['--net', ...args], { encoding: 'utf8', timeout: 60_000 });
const canRun = isolated('true').status === 0;

/** @returns the codes of failed dials, and the addresses from which the sites received bytes */
function dialled(egress: string, sites: number, each: number, moved: string[] = []) {
  const { stdout, stderr } = isolated(process.execPath, program, egress, `${sites}`, `${each}`, ...moved);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test.skipIf(!canRun)(
  'sockets to several sites share ports where the kernel itself chooses the address of GATEWAY_EGRESS',
  () => expect(dialled('127.0.0.1', 4, 45)).toEqual({ failed: [], from: ['127.0.0.1'] }),
);

test.skipIf(!canRun)('sockets bind to GATEWAY_EGRESS where the kernel would choose another address', () =>
  expect(dialled('127.0.0.9', 4, 4)).toEqual({ failed: [], from: ['127.0.0.9'] }),
);

test.skipIf(!canRun)('no byte leaves from another address after a route has changed', () =>
  expect(dialled('127.0.0.1', 1, 1, ['127.0.0.9'])).toEqual({ failed: [], from: ['127.0.0.1'] }),
);
