import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError } from '@propusk/processes/start-error';
import { ask, runCommand, say } from '../command.ts';
import { withSettings } from '../packaged/settings-file.ts';
import { applySettings, faultOf, listenersOf } from './apply.ts';
import { checkCertificates } from './certificate-check.ts';
import { checkDns, checkIssuing, checkPorts } from './checks.ts';
import { findMailServer } from './mail.ts';
import { openDns } from './network.ts';
import { readOptions } from './options.ts';
import { printFirstLinks, startGateway, startService } from './service.ts';
import { differences, editSettings, previousOf, readIfThere, replaceFile } from './settings-edit.ts';
import { wantedSettings } from './wanted.ts';

const nginxConf = fileURLToPath(new URL('../../../../deploy/nginx.conf', import.meta.url));
/** The exit code when nothing was changed because nobody agreed. */
const NOT_AGREED = 2;
const [path = '', ...args] = process.argv.slice(2);

type Options = ReturnType<typeof readOptions> & { readonly asks: boolean };

/** `setup-command.ts SETTINGS DOMAIN MAIL …`, as root. Only its child processes touch the database. */
await runCommand(async () => {
  const read = readOptions(args);
  const options = { ...read, asks: process.stdin.isTTY && !read.yes };
  if (options.help) {
    say(setupPhrases.usage());
    return 0;
  }
  return options.undo ? undo(options) : setup(options);
});

async function setup(options: Options): Promise<number> {
  const env = withSettings(path, process.env);
  const { dns: servers } = readConfig(env);
  const dns = openDns(servers);
  const port = (name: string, fallback: number) => Number(env[name] || fallback);
  const ports = {
    http: port('HTTP_PORT', 80),
    https: port('HTTPS_PORT', 443),
    gateway: port('GATEWAY_PORT', 3128),
  };
  const ownName = `gw.${options.domain}`;
  const hasOwnName = (await dns(ownName)).length > 0;
  const gateway = options.gateway ?? (hasOwnName ? ownName : options.domain);
  const names = [...new Set([options.domain, gateway])];
  const onMachine = { ...ports, api: port('PORT', 3000) };
  // Without --tls a second run keeps the mode.
  const current = env.TLS === 'files' || env.TLS === 'off' ? env.TLS : undefined;
  const tls = checkPorts(options.tls ?? current, onMachine, { nginxConf, settings: path });
  await checkDns(dns, names, options);
  const wanted = wantedSettings(options, { tls, gateway, ports }, env);
  // An invalid setting stops before anything changes.
  await checkCertificates(wanted, { console: options.domain, gateway });
  const listeners = await listenersOf({ ...env, ...wanted });
  const { acme } = readConfig({ ...env, ...wanted }).tls ?? {};
  if (acme !== undefined) await checkIssuing(acme, ports.http);
  if (options.smtp !== undefined || !env.SMTP_URL) {
    const given = options.smtp === '-' ? await readInput(options) : options.smtp;
    const server = await findMailServer(given, { ...env, ...wanted }, options);
    if (server === null) return 1;
    if (server !== undefined) wanted.SMTP_URL = server;
  }
  const before = readIfThere(path);
  const after = editSettings(before, wanted);
  if (!(await agree(before, after, options))) return NOT_AGREED;
  await applySettings({ path, before, after }, listeners, options.waitMs);
  if (tls === 'off') {
    // The operator configures nginx later, so one request is enough.
    const [address = '127.0.0.1'] = await dns(options.domain);
    const url = wanted.PUBLIC_URL ?? '';
    const fault = await faultOf({ url, address, path: '/api/health', status: 200 });
    say(fault === null ? setupPhrases.healthy(url) : setupPhrases.proxyMissing(url, fault, nginxConf));
  }
  printFirstLinks(options);
  // The setup succeeds even if signing fails. The command prints the ids or the reason of the failure.
  spawnSync(process.env.PROPUSK_COMMAND ?? 'propusk', ['extension'], { stdio: 'inherit' });
  return 0;
}

/**
 * Reads SMTP_URL from standard input.
 * @returns undefined in a terminal, where `findMailServer` asks for SMTP_URL
 * @throws StartError when the input is empty
 */
async function readInput({ asks }: Options): Promise<string | undefined> {
  const given = asks ? undefined : (await text(process.stdin)).trim();
  if (given === '') throw new StartError(setupPhrases.unfit.input());
  return given;
}

/** Restores the previous settings file; works once. Keeps the replaced settings in a file with the suffix `.undone`. */
async function undo(options: Options): Promise<number> {
  const previous = previousOf(path);
  if (!existsSync(previous)) throw new StartError(setupPhrases.nothingToUndo(previous));
  const settings = readIfThere(previous);
  const undone = readIfThere(path);
  if (!(await agree(undone, settings, options))) return NOT_AGREED;
  replaceFile(path, settings);
  renameSync(previous, `${path}.undone`);
  startService(settings, 'restart');
  startGateway(undone, settings);
  say(setupPhrases.undone(path, `${path}.undone`));
  return 0;
}

/** Shows the changes of the settings file and asks for consent. */
async function agree(before: string, after: string, { asks, yes }: Options): Promise<boolean> {
  const lines = differences(before, after);
  say(lines.length === 0 ? setupPhrases.unchanged(path) : setupPhrases.changes(path, lines));
  if (lines.length === 0 || yes) return true;
  if (asks && setupPhrases.isYes(await ask(setupPhrases.confirm()))) return true;
  say(asks ? setupPhrases.declined() : setupPhrases.needsYes());
  return false;
}
