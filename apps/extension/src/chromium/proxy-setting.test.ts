import { beforeEach, expect, test, vi } from 'vitest';
import { gatewayAccess } from '../../test/gateway-access.ts';

const access = gatewayAccess;

/** The stubbed browser setting, and the calls that change it. */
let value: unknown;
let writes: string[];
let levelOfControl: string;

beforeEach(() => {
  [value, writes, levelOfControl] = [{ mode: 'system' }, [], 'controllable_by_this_extension'];
  const settings = {
    get: async () => ({ value, levelOfControl }),
    async set(details: { value: unknown }) {
      writes.push('set');
      [value, levelOfControl] = [structuredClone(details.value), 'controlled_by_this_extension'];
    },
    async clear() {
      writes.push('clear');
      [value, levelOfControl] = [{ mode: 'system' }, 'controllable_by_this_extension'];
    },
  };
  // These tests stub the browser's extension API.
  Object.assign(globalThis, { chrome: { proxy: { settings } } });
});

/** Runs applyAccess in a new worker; returns the calls. */
async function wake(given: typeof access | null): Promise<string[]> {
  vi.resetModules();
  const { applyAccess } = await import('./proxy-setting.ts');
  await applyAccess(given);
  return writes.splice(0);
}

test('a new worker writes the proxy setting only when the value changes', async () => {
  expect(await wake(null)).toEqual([]);
  expect(await wake(access)).toEqual(['set']);
  expect(await wake({ ...access, version: 2, password: 'fresh' })).toEqual([]);
  expect(await wake({ ...access, sites: ['wiki.example.ru'] })).toEqual(['set']);
  expect(await wake({ ...access, sites: ['wiki.example.ru'], allSites: true })).toEqual(['set']);
  expect(await wake(null)).toEqual(['clear']);
  expect(await wake(null)).toEqual([]);
});

test('the worker writes and clears the proxy setting while another extension controls it', async () => {
  await wake(access);
  levelOfControl = 'controlled_by_other_extensions';
  expect(await wake(access)).toEqual(['set']);
  levelOfControl = 'controlled_by_other_extensions';
  expect(await wake(null)).toEqual(['clear']);
});
