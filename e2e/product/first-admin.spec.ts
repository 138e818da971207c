import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { login } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { freePort } from '@propusk/test-kit/daemon';
import { caller } from '../../scripts/call.ts';
import { PASSWORD } from '../support/console.ts';
import { makeDataDir, removeDataDir } from '../support/product.ts';

/** `npm start` in a terminal, which Ctrl-C ends. */
async function inTerminal<T>(env: NodeJS.ProcessEnv, use: (screen: string) => Promise<T>): Promise<T> {
  const child = spawn('script', ['-qec', 'npm start --silent', '/dev/null'], {
    env: { ...process.env, ...env },
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close');
  try {
    await expect.poll(() => screen, { timeout: 120_000 }).toContain('Ctrl-C');
    return await use(screen);
  } finally {
    child.stdin.write('\x03');
    await ended;
  }
}

test('npm start in a terminal prints, below the address, a link that creates the first ADMIN once', async ({
  page,
}) => {
  const dataDir = await makeDataDir();
  const port = await freePort();
  const env = { DATA_DIR: dataDir, PORT: String(port), GATEWAY_PORT: String(await freePort()) };
  const call = caller(() => `http://127.0.0.1:${port}`);
  try {
    const link = await inTerminal(env, async (screen) => {
      const found = new RegExp(`Консоль +http://127.0.0.1:${port}[^]+?(http://\\S+#token=\\S+)`).exec(screen);
      await page.goto(found?.[1] ?? '');
      await page.getByRole('textbox', { name: 'Почта' }).fill('boss@example.ru');
      await page.getByLabel(/^Новый пароль/).fill(PASSWORD);
      await page.getByLabel(/^Повторите пароль/).fill(PASSWORD);
      await page.getByRole('button', { name: 'Задать пароль и войти' }).click();
      await expect(page).toHaveURL(/\/dashboard/);
      const { token } = await call(null, login, { body: { email: 'boss@example.ru', password: PASSWORD } });
      expect(await call(token, me)).toMatchObject({ roles: [{ value: 'ADMIN' }], company: null });
      return found?.[1] ?? '';
    });
    await inTerminal(env, async (screen) => {
      expect(screen).not.toContain('#token=');
      await page.goto('about:blank');
      await page.goto(link);
      await expect(page.getByRole('heading', { name: 'Ссылка не действует' })).toBeVisible();
    });
  } finally {
    await removeDataDir(dataDir);
  }
});
