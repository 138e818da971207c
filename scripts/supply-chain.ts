import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** An entry of `packages` in package-lock.json. */
export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
  /** The architectures of a package with machine code, as Node names them. */
  readonly cpu?: string | readonly string[];
}
/** `packages` of package-lock.json, by installation path. */
export type Lock = Readonly<Record<string, LockedPackage>>;

/** SPDX ids of licences that shipped dependencies may have: none obliges an operator to publish source. */
const free = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'Unlicense'],
  // A font licence: it forbids only the sale of the font alone.
  'OFL-1.1',
]);

type Named = readonly [name: string, locked: LockedPackage];
const MODULES = 'node_modules/';

/** The packages from the registry. Our own packages are links and folders. */
function registered(lock: Lock): Named[] {
  return Object.entries(lock).flatMap(([place, locked]) =>
    place.includes(MODULES) && locked.link !== true ? [[nameOf(place), locked] as const] : [],
  );
}

const nameOf = (place: string) => place.slice(place.lastIndexOf(MODULES) + MODULES.length);

/**
 * The installation paths of everything that some workspaces need at run time, our own packages among them, for every platform.
 * @param from paths of workspaces, '' for the root
 */
export function needed(lock: Lock, from: readonly string[]): Set<string> {
  const found = new Set<string>();
  const take = (parent: string) => {
    const { dependencies, optionalDependencies, peerDependencies } = lock[parent] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = placeOf(lock, parent, name);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      take(place);
    }
  };
  for (const place of from) take(place);
  return found;
}

/** The registry packages that ship: the dependencies of the root and of the apps. @param cpu only those for it; every one unless given */
export function shipped(lock: Lock, cpu?: string): Named[] {
  const apps = ['', ...Object.keys(lock)].filter((place) => place === '' || /^apps\/[^/]+$/.test(place));
  return [...needed(lock, apps)].flatMap((place) => {
    const locked = lock[place] ?? {};
    const fits = cpu === undefined || locked.cpu === undefined || [locked.cpu].flat().includes(cpu);
    return place.includes(MODULES) && fits ? [[nameOf(place), locked] as const] : [];
  });
}

/** One line for each shipped package: name, version, licence. */
export function licencesOf(lock: Lock, cpu?: string): string {
  const lines = shipped(lock, cpu).map(([name, { version, license }]) => `${name} ${version} ${license}\n`);
  return [...new Set(lines)].toSorted().join('');
}

/** Resolves a dependency as Node does: in the package's own node_modules, then in those of each parent folder. */
function placeOf(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const place = `${folder === '' ? '' : `${folder}/`}${MODULES}${name}`;
    const found = lock[place];
    if (found !== undefined) return found.link === true ? found.resolved : place;
    if (folder === '') return undefined;
  }
}

/**
 * The bill of materials of the shipped packages, in CycloneDX 1.5. `npm sbom` omits packages that workspaces share.
 * @param cpu only those for this architecture; every one unless given
 */
export function billOf(lock: Lock, cpu?: string): object {
  const { name, version, license } = lock[''] ?? {};
  const component = ([name, locked]: Named) => ({
    type: 'library',
    'bom-ref': purlOf(name, locked.version),
    name,
    version: locked.version,
    purl: purlOf(name, locked.version),
    hashes: [{ alg: 'SHA-512', content: hexOf(locked.integrity) }],
    licenses: [{ expression: locked.license }],
  });
  const components = new Map(
    shipped(lock, cpu).map((one) => [purlOf(one[0], one[1].version), component(one)]),
  );
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ expression: license }] },
    },
    components: [...components].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
  };
}

const purlOf = (name: string, version = '') => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const hexOf = (integrity = '') => Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');

/**
 * Finds the faults of a lock file: a package from outside the registry, under another name or without a SHA-512; a shipped
 * package whose licence is not in the list; an install script that `allowed` does not name; a name without an install script.
 * @param allowed `allowScripts` of package.json
 */
export function faultsOf(lock: Lock, allowed: Readonly<Record<string, boolean>>): string[] {
  const faults: string[] = [];
  for (const [name, { integrity, resolved, hasInstallScript, name: other }] of registered(lock)) {
    // Under `omit-lockfile-registry-resolved` npm writes `resolved` only for packages from outside the registry.
    if (resolved !== undefined) faults.push(`${name}: comes from ${resolved}`);
    if (other !== undefined && other !== name) faults.push(`${name}: is ${other} under another name`);
    if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? '')) faults.push(`${name}: has no SHA-512`);
    if (hasInstallScript === true && allowed[name] !== true)
      faults.push(`${name}: runs a script at installation, and allowScripts does not name it`);
  }
  for (const [name, { license }] of shipped(lock)) {
    if (!isFree(license ?? '')) faults.push(`${name}: ships under ${license ?? 'no licence'}`);
  }
  const withScripts = new Set(
    registered(lock).flatMap(([name, { hasInstallScript }]) => (hasInstallScript ? [name] : [])),
  );
  for (const name of Object.keys(allowed)) {
    if (!withScripts.has(name)) faults.push(`${name}: allowScripts names it, and it runs none`);
  }
  return faults;
}

/** Whether an SPDX expression is acceptable: every operand of `AND`, or one of `OR`. Nested expressions are not accepted. */
function isFree(license: string): boolean {
  const plain = license.replace(/^\((.*)\)$/, '$1');
  if (plain.includes(' OR ')) return plain.split(' OR ').some((one) => free.has(one));
  return plain.split(' AND ').every((one) => free.has(one));
}

/** A step of `npm run check`. It does not use the network. */
if (import.meta.main) {
  const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'));
  const lock: Lock = read('package-lock.json').packages;
  const faults = faultsOf(lock, read('package.json').allowScripts);
  mkdirSync('.cache', { recursive: true });
  writeFileSync('.cache/licences.txt', licencesOf(lock));
  writeFileSync('.cache/sbom.json', `${JSON.stringify(billOf(lock), null, 2)}\n`);
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exit(faults.length > 0 ? 1 : 0);
}
