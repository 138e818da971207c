import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { grantPorts } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'propusk-units-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the service may listen below port 1024 exactly while it ends TLS there', () => {
  const path = join(folder, 'propusk.service.d/ports.conf');
  expect([grantPorts('PUBLIC_URL=http://a.test\n', folder), existsSync(path)]).toEqual([false, false]);
  expect([grantPorts('TLS=auto\nHTTPS_PORT=8443\nHTTP_PORT=8080\n', folder), existsSync(path)]).toEqual([
    false,
    false,
  ]);
  expect(grantPorts('TLS=auto\n', folder)).toBe(true);
  expect(readFileSync(path, 'utf8')).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE\n');
  expect(grantPorts('TLS=files\n', folder)).toBe(false);
  expect([grantPorts('TLS=off\n', folder), existsSync(path)]).toEqual([true, false]);
});
