/** A backup or a restore that cannot be done. The message is one Russian line that says what to do. */
export class BackupRefused extends Error {}

/** What a person who holds a damaged file needs to hear, whichever bit of it is wrong. */
export function damaged(what: string): BackupRefused {
  return new BackupRefused(`Файл копии повреждён (${what}): возьмите другую копию. Ничего не изменено`);
}
