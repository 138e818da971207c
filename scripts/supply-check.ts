import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { billOf, faultsOf, type Lock, licencesOf } from './supply-chain.ts';

/**
 * A step of `npm run check`: fails when the lock file has a fault. Writes the licences and the CycloneDX bill of materials of
 * the shipped packages into .cache. It does not use the network.
 */
const readJson = async (name: string) => JSON.parse(await readFile(name, 'utf8'));
const lock: Lock = (await readJson('package-lock.json')).packages;
const faults = faultsOf(lock, (await readJson('package.json')).allowScripts);
await mkdir('.cache', { recursive: true });
await writeFile('.cache/licences.txt', licencesOf(lock));
await writeFile('.cache/sbom.json', `${JSON.stringify(billOf(lock), null, 2)}\n`);
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exit(faults.length > 0 ? 1 : 0);
