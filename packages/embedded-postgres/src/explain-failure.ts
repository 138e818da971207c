import { join } from 'node:path';
import { databasePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import type { Place } from './location.ts';

/** PostgreSQL's own messages, in English by lc_messages. The first pattern that matches wins. */
const knownFailures: readonly (readonly [RegExp, (place: Place, line: string) => string])[] = [
  [
    /No space left on device|Disk quota exceeded|Check free disk space|wrote only \d+ of/,
    ({ home }) => databasePhrases.diskFull(home),
  ],
  [
    /invalid permissions|wrong ownership/,
    ({ cluster, user }) => databasePhrases.wrongOwnership(cluster, user.name, user.uid),
  ],
  [
    /Permission denied|Operation not permitted/,
    ({ cluster, user }, line) => databasePhrases.permissionDenied(user.name, line, cluster),
  ],
  [/Read-only file system/, ({ home }) => databasePhrases.readOnlyDisk(home)],
  [
    /lock file "postmaster\.pid" (already exists|is empty)|bogus data in lock file|pre-existing shared memory block/,
    ({ cluster }) => databasePhrases.otherPostmaster(cluster, join(cluster, 'postmaster.pid')),
  ],
  [
    /Cannot allocate memory|could not (create|map|attach to|resize) .*shared memory/,
    () => databasePhrases.noMemory(),
  ],
  [/invalid locale name|locale .* (not found|could not be)/, () => databasePhrases.noLocale()],
];

/** PostgreSQL's messages that mean a damaged cluster, unless initdb is making it. */
const damage =
  /checkpoint record|pg_control|control file|incompatible with server|invalid magic number|could not open (file|directory) "|PANIC:/;

/**
 * Turns the output of a failed program into a StartError.
 * @param printed the output of initdb or postgres, or a server's error message
 * @param making initdb was running, so the cluster cannot be a damaged one
 */
export function explainFailure(printed: string, place: Place, making = false): StartError {
  const lines = printed.trim().split('\n');
  for (const [pattern, sentence] of knownFailures) {
    // The file may lie elsewhere, such as in /dev/shm.
    const line = lines.find((each) => pattern.test(each));
    if (line !== undefined) return new StartError(sentence(place, line.trim()));
  }
  if (!making && damage.test(printed)) {
    return new StartError(databasePhrases.clusterDamaged(place.cluster));
  }
  const last = lines.findLast((line) => /FATAL|PANIC|ERROR|error:/.test(line)) ?? lines.at(-1) ?? '';
  const log = join(place.base, 'postgres.log');
  return new StartError(databasePhrases.notStarted(last.trim(), log));
}
