import { watch as watchFolder } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { lockDataDir } from '@propusk/api/db/embedded/lock';
import { type EmbeddedDatabase, openEmbedded, StartError } from '@propusk/api/db/embedded/open';
import { SettingError } from '@propusk/contract/settings';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { ChildFailed, type Kept, keepRunning } from './children.ts';
import { readSecrets } from './secrets.ts';
import { buildConsole } from './web-build.ts';

const room = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

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
  const dataDir = resolve(env.DATA_DIR || './data');
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  const unwanted = options.stopping.then(() => {
    throw new ChildFailed('Запуск прерван');
  });
  unwanted.catch(() => {});
  try {
    const lock = await lockDataDir(dataDir);
    undo.push(() => lock.release());
    const secrets = await readSecrets(dataDir, env);
    readGatewayConfig({ ...env, ...secrets });
    if (!options.watch) await buildConsole(say);
    const failed = Promise.withResolvers<string>();
    const databaseUrl = config.databaseUrl ?? (await openDatabase());
    const childEnv: NodeJS.ProcessEnv = {
      LOG_LEVEL: process.stdout.isTTY ? 'warn' : 'info',
      API_URL: config.localUrl,
      CONSOLE_URL: config.publicUrl.origin,
      ...env,
      ...secrets,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
    };
    const children: Kept[] = [];
    undo.push(async () => {
      await Promise.all(children.map((child) => child.stop()));
    });
    // The gateway asks the api for its first snapshot, so the api goes first.
    const keep = async (module: string, more: NodeJS.ProcessEnv = {}) => {
      const child = keepRunning(room(module), { ...childEnv, ...more }, say);
      children.push(child);
      await Promise.race([child.listening, unwanted]);
      return child;
    };
    const api = await keep('apps/api/src/main.ts');
    const gateway = await keep('apps/gateway/src/main.ts', {
      // Names are resolved on these threads; four slow ones would hold up everybody.
      UV_THREADPOOL_SIZE: '16',
    });
    if (options.watch) undo.push(restartOnChange(api, gateway));
    return {
      consoleUrl: config.publicUrl.origin,
      apiUrl: config.localUrl,
      gatewayUrl: config.gatewayUrl.origin,
      dataDir,
      failed: failed.promise,
      stop,
    };

    async function openDatabase(): Promise<string> {
      let database: EmbeddedDatabase = await openEmbedded({ dataDir, onProgress: say });
      let closing = false;
      undo.push(async () => {
        closing = true;
        await database.close();
      });
      // A database that died is opened again under the same address; the api's pool finds it there.
      void (async () => {
        for (;;) {
          await database.exited;
          if (closing) return;
          say('База данных остановилась, открываю снова…');
          database = await openEmbedded({ dataDir, onProgress: say });
        }
      })().catch((error) => failed.resolve(explain(error)));
      return database.url;
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

function restartOnChange(api: Kept, gateway: Kept): () => Promise<void> {
  let pending: NodeJS.Timeout | undefined;
  const rooms: [string, Kept[]][] = [
    ['apps/api/src', [api]],
    ['apps/gateway/src', [gateway]],
    ['packages/contract/src', [api, gateway]],
    ['packages/access/src', [api, gateway]],
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
    error instanceof SettingError || error instanceof StartError || error instanceof ChildFailed;
  if (foreseen) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
