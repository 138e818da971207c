import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ourselves, type Place } from './location.ts';

/** The file for `config_file`. It also distinguishes our postmaster from another one on the same cluster. */
export function settingsFile(place: Place): string {
  return join(place.home, 'postgres-config', 'postgresql.conf');
}

/**
 * Writes the server's settings, anew at each start: they follow the place and the users. They are ours and lie outside
 * of the cluster, so that root writes nothing into a folder of the database's user.
 *
 * Only the two users can connect: over the socket, by peer authentication; there is no password and no TCP. The api is the role
 * `propusk`, which is no superuser: an injected statement must not reach COPY … FROM PROGRAM.
 *
 * @param socketDir the folder for the socket
 */
export async function writeSettings(place: Place, socketDir: string): Promise<void> {
  const file = settingsFile(place);
  const folder = join(file, '..');
  const us = ourselves().name;
  const settings: Record<string, string | number> = {
    hba_file: join(folder, 'pg_hba.conf'),
    ident_file: join(folder, 'pg_ident.conf'),
    listen_addresses: '',
    port: 5432,
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    // An acknowledged row survives a power cut.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // A small machine: about 150 MB in all, and WAL that does not fill a small disk.
    max_connections: 100,
    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '512MB',
    // SSDs, not the spinning disks of the default.
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_line_prefix: '%m [%p] %d ',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: '-1',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(String(value))}\n`);
  const hba = [
    'local all propusk peer map=propusk',
    'local all postgres peer map=propusk',
    'local all all reject',
  ];
  const ident = new Set([
    `propusk "${us}" propusk`,
    `propusk "${place.user.name}" propusk`,
    `propusk "${us}" postgres`,
  ]);
  const head = '# Written by Propusk at each start: changes here are lost.\n';

  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  for (const [name, text] of [
    ['postgresql.conf', lines.join('')],
    ['pg_hba.conf', `${hba.join('\n')}\n`],
    ['pg_ident.conf', `${[...ident].join('\n')}\n`],
  ] as const) {
    await writeFile(join(folder, name), head + text);
    await chmod(join(folder, name), 0o644);
  }
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
