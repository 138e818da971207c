import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { grantPorts, printFirstLinks } from './service.ts';

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

test('the first links and the passphrase are printed also when the timer of backups does not start', () => {
  const [command, systemctl] = [join(folder, 'propusk'), join(folder, 'systemctl')];
  writeFileSync(command, '#!/bin/sh\necho "said by $1"\n', { mode: 0o755 });
  writeFileSync(systemctl, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  vi.stubEnv('PROPUSK_COMMAND', command);
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const first = { mail: 'a@a.test', owner: 'b@a.test', invite: false };
    expect(() => printFirstLinks(first)).toThrow('systemctl enable --now propusk-backup.timer');
    expect(said.mock.calls.join('')).toMatch(/said by first-links\n[^]*said by passphrase/);
  } finally {
    said.mockRestore();
    vi.unstubAllEnvs();
  }
});
