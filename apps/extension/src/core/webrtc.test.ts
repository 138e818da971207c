import { beforeEach, expect, test } from 'vitest';
import { gatewayAccess } from '../../test/gateway-access.ts';
import { limitWebRtc, readWebRtc } from './webrtc.ts';

const access = { ...gatewayAccess, allSites: true, sites: [] };

/** The stubbed browser: whether it granted the permission, who else controls the setting, the setting, the number of writes. */
let granted: boolean;
let holder: string | null;
let value: string | null;
let writes: number;

beforeEach(() => {
  [granted, holder, value, writes] = [true, null, null, 0];
  const write = (next: string | null) => {
    writes++;
    value = next;
  };
  const webRTCIPHandlingPolicy = {
    get: async () => ({
      levelOfControl:
        holder ?? (value === null ? 'controllable_by_this_extension' : 'controlled_by_this_extension'),
    }),
    set: async (details: { value: string }) => write(details.value),
    clear: async () => write(null),
  };
  // These tests stub the browser's extension API.
  const permissions = { contains: async () => granted };
  Object.assign(globalThis, { chrome: { permissions, privacy: { network: { webRTCIPHandlingPolicy } } } });
});

test('WebRTC is limited while all sites go through the gateway, and its setting is written only at changes', async () => {
  await limitWebRtc(null);
  await limitWebRtc({ ...access, allSites: false });
  expect([value, writes]).toEqual([null, 0]);
  await limitWebRtc(access);
  await limitWebRtc({ ...access, version: 2 });
  expect([value, writes]).toEqual(['disable_non_proxied_udp', 1]);
  await limitWebRtc({ ...access, allSites: false });
  expect([value, writes]).toEqual([null, 2]);
  await limitWebRtc(access);
  await limitWebRtc(null);
  expect([value, writes]).toEqual([null, 4]);
});

test('the WebRTC setting stays as it is without the permission', async () => {
  granted = false;
  await limitWebRtc(access);
  expect([value, writes]).toEqual([null, 0]);
});

test.each(['controlled_by_other_extensions', 'not_controllable'])(
  'a WebRTC setting whose level of control is %s is not written, and is reported as held',
  async (level) => {
    holder = level;
    await limitWebRtc(access);
    await limitWebRtc(null);
    expect([await readWebRtc(), writes]).toEqual(['held', 0]);
  },
);

test('direct WebRTC connections are reported as closed only after the extension has set its value', async () => {
  expect(await readWebRtc()).toBe('open');
  await limitWebRtc(access);
  expect(await readWebRtc()).toBe('closed');
  granted = false;
  expect(await readWebRtc()).toBe('open');
});
