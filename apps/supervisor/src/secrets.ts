import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { supervisorPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';

/** SECRET_KEY encrypts columns of the database; GATEWAY_SECRET authenticates gateways to the api. */
export interface Secrets {
  readonly SECRET_KEY: string;
  readonly GATEWAY_SECRET: string;
}

/**
 * Reads the secrets from the environment, else from files in the data folder (0600), which the first start makes.
 * @throws StartError when a file is lost or truncated: a new key would not decrypt what the old one encrypted
 */
export async function readSecrets(dataDir: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  // The database is in the folder, or the folder records where it is.
  const used = ['postgres', 'postgres.location'].some((name) => existsSync(join(dataDir, name)));
  return {
    SECRET_KEY: env.SECRET_KEY || (await readSecret(join(dataDir, 'secret-key'), used)),
    GATEWAY_SECRET: await readGatewaySecret(dataDir, env),
  };
}

/**
 * Reads GATEWAY_SECRET from the environment, else from its file in the data folder, which the first caller makes: gateways and api
 * read the same file, and with a new secret users only fetch new gateway passwords.
 * @throws StartError when the file is truncated
 */
export async function readGatewaySecret(dataDir: string, env: NodeJS.ProcessEnv): Promise<string> {
  return env.GATEWAY_SECRET || (await readSecret(join(dataDir, 'gateway-secret'), false));
}

/**
 * Reads the secrets of a product that has been started before.
 * @throws StartError when one of them is missing
 */
export async function existingSecrets(dataDir: string, env: NodeJS.ProcessEnv): Promise<Secrets> {
  return {
    SECRET_KEY: env.SECRET_KEY || (await readSecret(join(dataDir, 'secret-key'), true)),
    GATEWAY_SECRET: env.GATEWAY_SECRET || (await readSecret(join(dataDir, 'gateway-secret'), true)),
  };
}

/**
 * Writes the secrets of a backup into an empty data folder, except those that the environment gives.
 * @throws StartError when the environment gives a different one
 */
export async function placeSecrets(dataDir: string, secrets: Secrets, env: NodeJS.ProcessEnv): Promise<void> {
  refuseOtherSecrets(secrets, env);
  if (!env.SECRET_KEY) await writeSecret(join(dataDir, 'secret-key'), secrets.SECRET_KEY);
  if (!env.GATEWAY_SECRET) await writeSecret(join(dataDir, 'gateway-secret'), secrets.GATEWAY_SECRET);
}

/** @throws StartError when the environment gives a different secret: the product would start with the wrong one */
export function refuseOtherSecrets(secrets: Secrets, env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(secrets)) {
    if (!env[name] || env[name] === value) continue;
    throw new StartError(supervisorPhrases.otherSecret(name));
  }
}

async function readSecret(path: string, mustBeThere: boolean): Promise<string> {
  if (!existsSync(path)) {
    if (mustBeThere) {
      const name = path.endsWith('gateway-secret') ? 'GATEWAY_SECRET' : 'SECRET_KEY';
      throw new StartError(supervisorPhrases.secretLost(path, name));
    }
    // The api and the gateway's unit may make it at the same moment: the first one wins.
    await writeSecret(path, randomBytes(32).toString('base64url')).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (text.length < 32) throw new StartError(supervisorPhrases.secretDamaged(path));
  return text;
}

/** Writes a new file atomically: later starts would read a half-written key as the key. @throws an error EEXIST when it exists */
export async function writeSecret(path: string, secret: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, path);
  } finally {
    await unlink(draft);
  }
}
