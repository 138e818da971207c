import { totalmem } from 'node:os';
import { apiSettings, readConfig } from '@propusk/api/config';
import { openDb } from '@propusk/api/db/open';
import manifest from '@propusk/api/manifest' with { type: 'json' };
import type { Finding } from '@propusk/api/state/check';
import { examine } from '@propusk/api/state/examine';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { gatewaySettings } from '@propusk/gateway/config';
import { doctorPhrases as phrases, sayState } from '@propusk/phrases/state';
import { explain, runCommand, say } from '../command.ts';

/**
 * `propusk doctor`: prints what every check of the server found; `propusk status`, by the argument `brief`, only what needs attention.
 * The argument `report` adds the machine and the settings without secrets, for a helper. Exits with 1 when there is an error.
 */

const marks = { ok: '✓', warning: '!', error: '✗', unknown: '?' } as const;
const known = new Set(Object.keys({ ...apiSettings, ...gatewaySettings }));
const mayBeSecret = /SECRET|PASSWORD|DATABASE_URL|SMTP_URL|KEY|MAIL/;

await runCommand(async () => {
  const form = process.argv[2];
  const config = readConfig(process.env);
  const { url, fault } = await findDatabase(config.dataDir, config.databaseUrl);
  const opened = url === null ? null : openDb(url);
  // A database that answers no query counts as absent.
  const refusal = await opened?.pool.query('select 1').then(
    () => null,
    (error) => explain(error).split('\n', 1)[0] ?? '',
  );
  const db = opened !== null && refusal === null ? opened.db : null;
  const findings = await examine({ config, env: process.env, db, fault: refusal ?? fault });
  await opened?.close();
  say(phrases.version(manifest.version));
  const bad = findings.filter(({ level }) => level !== 'ok');
  for (const finding of form === 'brief' ? bad : findings) print(finding);
  say(bad.length === 0 ? phrases.good : phrases.troubles(bad.length));
  if (form === 'report') report(process.env);
  return findings.some(({ level }) => level === 'error') ? 1 : 0;
});

function print(finding: Finding): void {
  const { title, text, mend } = sayState(finding);
  say(`${marks[finding.level]} ${title}: ${text}`);
  if (mend !== null) say(`    ${mend}`);
}

async function findDatabase(dataDir: string, external: string | undefined) {
  if (external !== undefined) return { url: external, fault: '' };
  try {
    return { url: await findRunning(dataDir), fault: phrases.databaseStopped };
  } catch (error) {
    return { url: null, fault: explain(error).replace(/\.$/, '') };
  }
}

/** The settings; a value that may hold a secret or a mail address is only said to be set. */
function report(env: NodeJS.ProcessEnv): void {
  say(`\nnode ${process.version}, ${process.platform} ${process.arch}, ${Math.round(totalmem() / 1e6)} MB`);
  for (const name of known) {
    const value = env[name];
    if (value) say(`${name}=${mayBeSecret.test(name) ? phrases.isSet : value}`);
  }
}
