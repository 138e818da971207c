import { watch as watchFolder } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '@propusk/api/config';
import { openDb } from '@propusk/api/db/open';
import { makeAdminLink } from '@propusk/api/registration/first-links';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { NODE_FLAGS } from '@propusk/gateway/node-flags';
import { supervisorPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { refuseUnfinished } from './backup/restore-marker.ts';
import { buildConsole } from './build-console.ts';
import { buildExtension } from './build-extension.ts';
import { type SupervisedProcess, supervise } from './child-process.ts';
import { explain } from './command.ts';
import { superviseDatabase } from './database.ts';
import { gatewayEnvironment } from './gateway-environment.ts';
import { readSecrets, type Secrets } from './secrets.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** A running product. */
export interface Product {
  readonly consoleUrl: string;
  /** Where a process on this machine reaches the api. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  readonly dataDir: string;
  /** Makes the link of the first ADMIN; null when an ADMIN has a password. */
  makeAdminLink(): Promise<string | null>;
  /** Resolves with one line for the operator when the product cannot go on. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts database, api with console, and gateway unless it is a service of its own, in that order. Stops what it started when one of them fails.
 * @throws SettingError, StartError or ChildFailed, whose message is one line for the operator
 */
export async function startProduct(options: {
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  /** Restart api and gateway when their code changes, and build nothing: Vite serves the console. */
  watch?: boolean;
  /** Start no gateway: it is a service of its own. */
  withoutGateway?: boolean;
  /** Resolves when the start has to be abandoned. */
  stopping: Promise<void>;
}): Promise<Product> {
  const { env, say } = options;
  // Read the settings first: an invalid one stops the start before any file changes.
  const config = readConfig(env);
  const { dataDir } = config;
  await using started = new AsyncDisposableStack();
  let interrupted = false;
  const interruption = options.stopping.then(() => {
    interrupted = true;
    throw new StartError(supervisorPhrases.startInterrupted());
  });
  interruption.catch(() => {});
  try {
    const lock = await lockDataDir(dataDir);
    started.defer(lock.release);
    refuseUnfinished(dataDir);
    const secrets = await readSecrets(dataDir, env);
    // A gateway that runs as a separate service validates its settings itself.
    if (!options.withoutGateway) readGatewayConfig(gatewayEnvironment(env, config, secrets.GATEWAY_SECRET));
    if (!options.watch) {
      await buildConsole(say);
      await buildExtension(say);
    }
    // The supervisor cannot restart an external database, nor watch its disk.
    const embedded = config.databaseUrl === undefined ? await superviseDatabase(dataDir, say) : undefined;
    if (embedded !== undefined) started.defer(embedded.close);
    const { forApi, forGateway } = environments(env, config, secrets, {
      DATABASE_URL: config.databaseUrl ?? embedded?.url,
      DISK_RESERVE: embedded?.reserveFile,
    });
    // Bounded: filled once at startup
    const children: SupervisedProcess[] = [];
    started.defer(async () => {
      await Promise.all(children.map((child) => child.stop()));
    });
    const start = async (module: string, childEnv: NodeJS.ProcessEnv, flags?: readonly string[]) => {
      const child = supervise(fromRoot(module), childEnv, say, flags);
      children.push(child);
      await Promise.race([child.listening, interruption]);
      return child;
    };
    // The gateway asks the api for its first snapshot, so the api goes first.
    const api = await start('apps/api/src/main.ts', forApi);
    if (!options.withoutGateway) {
      const gateway = await start('apps/gateway/src/main.ts', forGateway, NODE_FLAGS);
      if (options.watch) started.defer(restartOnChange(api, gateway));
    }
    const running = started.move();
    return {
      consoleUrl: config.publicUrl.origin,
      apiUrl: config.localUrl,
      gatewayUrl: config.gatewayUrl.origin,
      dataDir,
      makeAdminLink: async () => {
        const { db, close } = openDb(String(forApi.DATABASE_URL));
        return makeAdminLink(db, config.publicUrl).finally(close);
      },
      failed: embedded?.failed.then(explain) ?? new Promise(() => {}),
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    // An interruption makes the current step fail, so report the interruption instead of that step's error.
    throw interrupted ? new StartError(supervisorPhrases.startInterrupted()) : error;
  }
}

/**
 * The environments of both children. The gateway's is without the secrets of the api, but as the same user it could read their
 * files: only a service of its own keeps it from them.
 */
function environments(
  env: NodeJS.ProcessEnv,
  config: Config,
  secrets: Secrets,
  database: { DATABASE_URL: string | undefined; DISK_RESERVE: string | undefined },
): { forApi: NodeJS.ProcessEnv; forGateway: NodeJS.ProcessEnv } {
  const common: NodeJS.ProcessEnv = {
    LOG_LEVEL: process.stdout.isTTY ? 'warn' : 'info',
    ...env,
    GATEWAY_SECRET: secrets.GATEWAY_SECRET,
    DATA_DIR: config.dataDir,
  };
  // Only the backup commands use it.
  delete common.BACKUP_PASSPHRASE;
  const forApi = { ...common, SECRET_KEY: secrets.SECRET_KEY, ...database };
  const forGateway = gatewayEnvironment(common, config, secrets.GATEWAY_SECRET);
  return { forApi, forGateway };
}

function restartOnChange(api: SupervisedProcess, gateway: SupervisedProcess): () => void {
  let pending: NodeJS.Timeout | undefined;
  const sources: [string, SupervisedProcess[]][] = [
    ['apps/api/src', [api]],
    ['apps/gateway/src', [gateway]],
    ['packages', [api, gateway]],
  ];
  const watchers = sources.map(([path, processes]) =>
    watchFolder(fromRoot(path), { recursive: true }, () => {
      clearTimeout(pending);
      pending = setTimeout(() => processes.forEach((one) => one.restart()), 100);
    }),
  );
  return () => watchers.forEach((watcher) => watcher.close());
}
