import { backupPhrases } from '@propusk/phrases/launcher';

/** A backup or a restore that cannot be done. The message is one Russian line that says what to do. */
export class BackupRefused extends Error {}

/** What a person who holds a damaged file needs to hear, whichever bit of it is wrong. */
export function damaged(part: string): BackupRefused {
  return new BackupRefused(backupPhrases.damaged(part));
}
