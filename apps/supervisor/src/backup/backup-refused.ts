import { backupPhrases } from '@propusk/phrases/launcher';

/** A backup or a restore that is refused. The message is one line for the operator. */
export class BackupRefused extends Error {}

/** The refusal of a damaged file. @param part a phrase of backupParts */
export function damaged(part: string): BackupRefused {
  return new BackupRefused(backupPhrases.damaged(part));
}
