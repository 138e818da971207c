import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { DatabaseUnfit } from '@propusk/api/db/migrate';
import { SettingError } from '@propusk/contract/settings';
import { backupPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { BackupRefused } from './backup/backup-refused.ts';
import { ChildFailed } from './child-process.ts';

/** Errors whose message is one line for the operator. */
const expected = [SettingError, StartError, ChildFailed, DatabaseUnfit, BackupRefused];

/** The message of an expected error; the stack of any other. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = expected.some((kind) => error instanceof kind);
  return isExpected ? error.message : (error.stack ?? error.message);
}

/** Prints one line on standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Asks in the terminal.
 * @param isSecret hides what is typed
 * @throws StartError when the user ends the input by Ctrl-C or Ctrl-D
 */
export function ask(question: string, isSecret = false): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? nowhere : process.stdout;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  if (isSecret) process.stderr.write(question);
  return new Promise<string>((resolve, reject) => {
    terminal.on('close', () => reject(new StartError(backupPhrases.interrupted())));
    terminal.question(question, resolve);
  }).finally(() => {
    terminal.close();
    if (isSecret) process.stderr.write('\n');
  });
}

/**
 * Runs a command and ends the process.
 * @param work resolves with the exit code, or with nothing for a process that goes on; its error is printed, with the exit code 1
 * @param describe the text for an error
 */
export async function runCommand(work: () => Promise<number | void>, describe = explain): Promise<void> {
  try {
    const code = await work();
    if (code !== undefined) process.exit(code);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}
