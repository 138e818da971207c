import { readFileSync } from 'node:fs';

const ofPackage: Readonly<Record<string, [RegExp, string][]>> = {
  propusk: [
    [/database, api with console, and gateway/, 'database and api with console'],
    // Only the gateway writes ACCESS_LOG.
    [/^#.*ACCESS_LOG\.\n(?:LogsDirectory.*\n)+/m, ''],
    // TLS=auto puts the gateway's certificate where its user reads it.
    [
      /^(Environment=.*DATA_DIR=.*)$/m,
      '$1 TLS_DIR=/var/lib/propusk-tls\nReadWritePaths=/var/lib/propusk-tls',
    ],
  ],
  'propusk-gateway': [
    [/^(After=.*)$/m, '$1 propusk.service'],
    [/^ExecReload=.*$/m, 'ExecReload=+/usr/bin/propusk gateway-reload'],
    [
      /^(?=ExecStart=)/m,
      '# As root: writes the settings that this user may read.\nExecStartPre=+/usr/bin/propusk gateway-settings\n',
    ],
    [/ DATA_DIR=.*/, ''],
    [/^WantedBy=.*$/m, '$& propusk.service'],
  ],
};

/**
 * A unit of `deploy/` for the package: the same service and hardening, run by the command `propusk`, which reads the
 * settings itself, so that `propusk backup` sees the same values as the service. In the package `propusk.service` runs no
 * gateway: `propusk-gateway.service` does, as a user who reads neither keys nor database.
 * @param name without `.service`
 */
export function unitOf(name: string): string {
  const command = name === 'propusk' ? 'serve' : name.replace('propusk-', '');
  const unit = readFileSync(`deploy/${name}.service`, 'utf8');
  const changes: [RegExp, string][] = [
    [/^(?:#.*\n)+(?=\[Unit\])/, ''],
    [/^ExecStart=.*$/m, `ExecStart=/usr/bin/propusk ${command}`],
    [/^(?:#.*\n)*EnvironmentFile=.*\n/m, ''],
    [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/usr/lib/propusk'],
    [/\/opt\/propusk\/docs/g, '/usr/lib/propusk/docs'],
    ...(ofPackage[name] ?? []),
  ];
  return changes.reduce((text, [found, instead]) => text.replace(found, instead), unit);
}
