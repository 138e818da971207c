import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '@propusk/embedded-postgres/start-error';

/**
 * SECRET_KEY and GATEWAY_SECRET from the environment, else from files in the data folder that only we may read, made
 * at the first start.
 * @throws StartError when a file was lost or cut short: a new key would open nothing that the old one sealed
 */
export async function readSecrets(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ SECRET_KEY: string; GATEWAY_SECRET: string }> {
  // The database stands in the folder, or the folder says where it stands.
  const used = ['postgres', 'postgres.location'].some((name) => existsSync(join(dataDir, name)));
  return {
    SECRET_KEY: env.SECRET_KEY || (await readSecret(join(dataDir, 'secret-key'), used)),
    // Gateways and api read the same one, so a fresh one costs only that people fetch new gateway passwords.
    GATEWAY_SECRET: env.GATEWAY_SECRET || (await readSecret(join(dataDir, 'gateway-secret'), false)),
  };
}

/**
 * The same of a product that has been started before: nothing is made.
 * @throws StartError when one of them is nowhere
 */
export async function existingSecrets(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ SECRET_KEY: string; GATEWAY_SECRET: string }> {
  return {
    SECRET_KEY: env.SECRET_KEY || (await readSecret(join(dataDir, 'secret-key'), true)),
    GATEWAY_SECRET: env.GATEWAY_SECRET || (await readSecret(join(dataDir, 'gateway-secret'), true)),
  };
}

/**
 * Puts the secrets of a backup into an empty data folder. What the environment gives is no file's business.
 * @throws StartError when the environment gives another one
 */
export async function placeSecrets(
  dataDir: string,
  secrets: { SECRET_KEY: string; GATEWAY_SECRET: string },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  refuseOtherSecrets(secrets, env);
  if (!env.SECRET_KEY) await writeSecret(join(dataDir, 'secret-key'), secrets.SECRET_KEY);
  if (!env.GATEWAY_SECRET) await writeSecret(join(dataDir, 'gateway-secret'), secrets.GATEWAY_SECRET);
}

/** @throws StartError when the environment gives another secret than these: the product would start with the wrong one */
export function refuseOtherSecrets(
  secrets: { SECRET_KEY: string; GATEWAY_SECRET: string },
  env: NodeJS.ProcessEnv,
): void {
  for (const [name, value] of Object.entries(secrets)) {
    if (!env[name] || env[name] === value) continue;
    throw new StartError(`В окружении другой ${name}, чем в копии: уберите его или укажите прежний`);
  }
}

async function readSecret(path: string, mustBeThere: boolean): Promise<string> {
  if (!existsSync(path)) {
    if (mustBeThere) {
      const name = path.endsWith('gateway-secret') ? 'GATEWAY_SECRET' : 'SECRET_KEY';
      throw new StartError(`Нет файла ${path}, а база уже создана с ним: верните его или укажите ${name}`);
    }
    await writeSecret(path, randomBytes(32).toString('base64url'));
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (text.length < 32) throw new StartError(`Файл ${path} повреждён: верните его из резервной копии`);
  return text;
}

/** Whole or not at all: a half-written key would be the key from then on. */
async function writeSecret(path: string, secret: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, path);
  } finally {
    await unlink(draft);
  }
}
