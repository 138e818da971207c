import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '@propusk/api/db/embedded/open';

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

async function readSecret(path: string, mustBeThere: boolean): Promise<string> {
  if (!existsSync(path)) {
    if (mustBeThere) {
      throw new StartError(`Нет файла ${path}, а база уже создана с ним: верните его или укажите SECRET_KEY`);
    }
    // Whole or not at all: a half-written key would be the key from then on.
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    try {
      await link(draft, path);
    } finally {
      await unlink(draft);
    }
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (text.length < 32) throw new StartError(`Файл ${path} повреждён: верните его из резервной копии`);
  return text;
}
