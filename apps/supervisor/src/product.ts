import { existsSync, watch as watchFolder } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { DatabaseUnfit } from '@propusk/api/db/migrate';
import { SettingError } from '@propusk/contract/settings';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { type EmbeddedDatabase, openEmbedded } from '@propusk/embedded-postgres/open';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { BackupRefused } from './backup/backup-refused.ts';
import { refuseUnfinished } from './backup/restore-marker.ts';
import { buildConsole } from './build-console.ts';
import { buildExtension } from './build-extension.ts';
import { ChildFailed, type Kept, keepRunning } from './child-process.ts';
import { readSecrets } from './secrets.ts';

const room = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

export interface Product {
  readonly consoleUrl: string;
  /** Where a process on this machine reaches the api. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  readonly dataDir: string;
  /** Resolves with one line when the product cannot go on. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts database, api with console, and gateway, in that order, and stops what it started when one of them fails.
 * @throws SettingError, StartError or ChildFailed with the one line for the person who started it
 */
export async function startProduct(options: {
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  /** Start api and gateway again when their code changes; the console is then Vite's to serve. */
  watch?: boolean;
  /** Resolves when the start itself is no longer wanted. */
  stopping: Promise<void>;
}): Promise<Product> {
  const { env, say } = options;
  // Settings first: a wrong one stops the start before anything is touched.
  const config = readConfig(env);
  const { dataDir } = config;
  // grows: not, the program fills it as it starts
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  let interrupted = false;
  const unwanted = options.stopping.then(() => {
    interrupted = true;
    throw new ChildFailed('Запуск прерван');
  });
  unwanted.catch(() => {});
  try {
    const lock = await lockDataDir(dataDir);
    undo.push(() => lock.release());
    refuseUnfinished(dataDir);
    const secrets = await readSecrets(dataDir, env);
    readGatewayConfig({ ...env, ...secrets });
    if (!options.watch) {
      await buildConsole(say);
      await buildExtension(say);
    }
    const failed = Promise.withResolvers<string>();
    // Of an outer database's disk nothing is known here.
    const own = config.databaseUrl === undefined ? await openDatabase() : undefined;
    const databaseUrl = config.databaseUrl ?? own?.url;
    const common: NodeJS.ProcessEnv = {
      LOG_LEVEL: process.stdout.isTTY ? 'warn' : 'info',
      API_URL: config.localUrl,
      CONSOLE_URL: config.publicUrl.origin,
      ...env,
      GATEWAY_SECRET: secrets.GATEWAY_SECRET,
      DATA_DIR: dataDir,
    };
    // Of the commands for backups: neither has any use for it.
    delete common.BACKUP_PASSPHRASE;
    const forApi = {
      ...common,
      SECRET_KEY: secrets.SECRET_KEY,
      DATABASE_URL: databaseUrl,
      DISK_RESERVE: own?.reserveFile,
    };
    // The gateway faces strangers: it holds the keys of its own trade and no other.
    const forGateway = { ...common };
    for (const name of ['DATABASE_URL', 'SECRET_KEY', 'ADMIN_EMAIL', 'ADMIN_PASSWORD', 'SMTP_URL']) {
      delete forGateway[name];
    }
    // Names are resolved on these threads; four slow ones would hold up everybody.
    forGateway.UV_THREADPOOL_SIZE = '16';
    // The database and the api want the other half.
    forGateway.GATEWAY_PROCESSES ??= String(Math.max(1, Math.floor(availableParallelism() / 2)));
    // grows: not, the program fills it as it starts
    const children: Kept[] = [];
    undo.push(async () => {
      await Promise.all(children.map((child) => child.stop()));
    });
    // The gateway asks the api for its first snapshot, so the api goes first.
    const keep = async (module: string, childEnv: NodeJS.ProcessEnv) => {
      const child = keepRunning(room(module), childEnv, say);
      children.push(child);
      await Promise.race([child.listening, unwanted]);
      return child;
    };
    const api = await keep('apps/api/src/main.ts', forApi);
    const gateway = await keep('apps/gateway/src/main.ts', forGateway);
    if (options.watch) undo.push(restartOnChange(api, gateway));
    return {
      consoleUrl: config.publicUrl.origin,
      apiUrl: config.localUrl,
      gatewayUrl: config.gatewayUrl.origin,
      dataDir,
      failed: failed.promise,
      stop,
    };

    async function openDatabase(): Promise<EmbeddedDatabase> {
      let database: EmbeddedDatabase = await openEmbedded({ dataDir, onProgress: say });
      let closing = false;
      let reopening: Promise<EmbeddedDatabase> | undefined;
      undo.push(async () => {
        closing = true;
        // One that is being opened just now is closed as well.
        await reopening?.catch(() => {});
        await database.close();
      });
      // A database that died is opened again under the same address; the api's pool finds it there.
      void (async () => {
        for (;;) {
          await database.exited;
          if (closing) return;
          say('База данных остановилась, открываю снова…');
          // One that dies at once must not be opened in a hot loop.
          await new Promise((resolve) => setTimeout(resolve, 500));
          if (closing) return;
          reopening = reopen(database);
          database = await reopening;
        }
      })().catch((error) => failed.resolve(explain(error)));
      return database;

      /** On a full disk it tries again until there is room: the gateways meanwhile enforce what they know. */
      async function reopen({ reserveFile }: EmbeddedDatabase): Promise<EmbeddedDatabase> {
        for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, 10_000)) {
          try {
            return await openEmbedded({ dataDir, onProgress: say });
          } catch (error) {
            if (closing || existsSync(reserveFile)) throw error;
            say(explain(error));
            await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
        }
      }
    }
  } catch (error) {
    await stop();
    // What Ctrl-C broke off is no fault of the thing that was broken off.
    throw interrupted ? new ChildFailed('Запуск прерван') : error;
  }
}

function restartOnChange(api: Kept, gateway: Kept): () => Promise<void> {
  let pending: NodeJS.Timeout | undefined;
  const rooms: [string, Kept[]][] = [
    ['apps/api/src', [api]],
    ['apps/gateway/src', [gateway]],
    ['packages/contract/src', [api, gateway]],
    ['packages/access/src', [api, gateway]],
    ['packages/dial/src', [api, gateway]],
    ['packages/overload/src', [api, gateway]],
  ];
  const watchers = rooms.map(([path, kept]) =>
    watchFolder(room(path), { recursive: true }, () => {
      clearTimeout(pending);
      pending = setTimeout(() => kept.forEach((one) => one.restart()), 100);
    }),
  );
  return async () => watchers.forEach((watcher) => watcher.close());
}

/** The one line for a person; what nobody foresaw keeps its stack. */
export function explain(error: unknown): string {
  const foreseen =
    error instanceof SettingError ||
    error instanceof StartError ||
    error instanceof ChildFailed ||
    error instanceof DatabaseUnfit ||
    error instanceof BackupRefused;
  if (foreseen) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
