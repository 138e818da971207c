import { join } from 'node:path';
import type { Place } from './location.ts';
import { StartError } from './start-error.ts';

const intact = 'Данные не изменены';

/** The first that matches wins; the text is PostgreSQL's own, in English by lc_messages. */
const known: readonly (readonly [RegExp, (place: Place) => string])[] = [
  [
    /No space left on device|Disk quota exceeded|Check free disk space|wrote only \d+ of/,
    (place) => `На диске с ${place.home} не осталось места: освободите его и запустите снова. ${intact}.`,
  ],
  [
    /invalid permissions|wrong ownership/,
    (place) =>
      `У папки ${place.cluster} не те права или владелец: ` +
      `нужны владелец ${place.user.name} (${place.user.uid}) и права 0700. ${intact}.`,
  ],
  [
    /Permission denied|Operation not permitted/,
    (place) =>
      `Пользователю ${place.user.name} не хватает прав на файлы в ${place.home}: ` +
      `верните ему владение папкой ${place.cluster}. ${intact}.`,
  ],
  [
    /Read-only file system/,
    (place) =>
      `Диск с ${place.home} доступен только для чтения: подключите его для записи или укажите другой DATA_DIR.`,
  ],
  [
    /lock file "postmaster\.pid" (already exists|is empty)|bogus data in lock file|pre-existing shared memory block/,
    (place) =>
      `С базой ${place.cluster} работает другой PostgreSQL, или так говорит её файл postmaster.pid: остановите его, ` +
      `а если такого процесса точно нет, удалите ${join(place.cluster, 'postmaster.pid')}. ${intact}.`,
  ],
  [
    /Cannot allocate memory|could not (create|map|attach to|resize) .*shared memory/,
    () => 'Встроенному PostgreSQL не хватило памяти: ему нужно около 300 МБ (и /dev/shm для записи).',
  ],
  [
    /invalid locale name|locale .* (not found|could not be)/,
    () =>
      'В системе нет локали C.UTF-8, нужной встроенному PostgreSQL: установите её или укажите DATABASE_URL.',
  ],
];

/** What only a cluster that existed before can mean. */
const damage =
  /checkpoint record|pg_control|control file|incompatible with server|invalid magic number|could not open (file|directory) "|PANIC:/;

/**
 * Turns what a failed program printed into one line for a person.
 * @param printed initdb's or postgres's own output, or a server's answer
 * @param making the cluster was only being made, so it cannot be a damaged one
 */
export function explain(printed: string, place: Place, making = false): StartError {
  const lines = printed.trim().split('\n');
  const details = lines.slice(-15).join('\n');
  for (const [pattern, say] of known) {
    if (pattern.test(printed)) return new StartError(say(place), { details });
  }
  if (!making && damage.test(printed)) {
    return new StartError(
      `База данных в ${place.cluster} повреждена: верните её из резервной копии или укажите другой DATA_DIR. ${intact}.`,
      { details },
    );
  }
  const last = lines.findLast((line) => /FATAL|PANIC|ERROR|error:/.test(line)) ?? lines.at(-1) ?? '';
  return new StartError(
    `Встроенный PostgreSQL не запустился: ${last.trim() || 'он ничего не сказал'}. ` +
      `Подробности в ${join(place.base, 'postgres.log')}.`,
    { details },
  );
}
