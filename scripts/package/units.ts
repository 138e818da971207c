import { readFileSync } from 'node:fs';

/**
 * A unit of `deploy/` for the package: the same service and hardening, run by the command `propusk`, which reads the
 * settings itself, so that `propusk backup` sees the same values as the service.
 * @param name without `.service`
 */
export function unitOf(name: string): string {
  const command = name === 'propusk' ? 'start' : name.replace('propusk-', '');
  const unit = readFileSync(`deploy/${name}.service`, 'utf8');
  const changes: [RegExp, string][] = [
    [/^(?:#.*\n)+(?=\[Unit\])/, ''],
    [/^ExecStart=.*$/m, `ExecStart=/usr/bin/propusk ${command}`],
    [/^(?:#.*\n)*EnvironmentFile=.*\n/m, ''],
    [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/usr/lib/propusk'],
    [/\/opt\/propusk\/docs/g, '/usr/lib/propusk/docs'],
  ];
  return changes.reduce((text, [found, instead]) => text.replace(found, instead), unit);
}
