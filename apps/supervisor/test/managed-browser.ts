import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asRoot } from '@propusk/test-kit/embedded/scratch';
import { expect, onTestFinished } from 'vitest';

/** Browsers of a managed machine: they read policies below /etc, and tests drive them over CDP or WebDriver BiDi. */

/** Runs the command `$@` with the folder `$0` laid over /etc, in a mount namespace of its own. */
const overEtc = 'mount -t overlay overlay -o "lowerdir=$0:/etc" /etc && exec "$@"';

/** Whether a test can give a browser policies. It needs root and mounts. */
export const canManage =
  asRoot && spawnSync('unshare', ['--mount', 'sh', '-c', overEtc, import.meta.dirname, 'true']).status === 0;
/** A suffix for titles of tests that need `canManage`. */
export const managedOnly = canManage ? '' : ' (skipped: needs root and mounts)';

/** A temporary folder with the profiles and with the files that the browser sees below /etc. It is removed after the test. */
export function makeMachine(): string {
  const machine = mkdtempSync(join(tmpdir(), 'propusk-machine-'));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true, maxRetries: 5 }));
  return machine;
}

/** Writes a file that the browser sees below /etc. @param path absolute, as the browser sees it */
export function writeFile(machine: string, path: string, content: string): void {
  const file = join(machine, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The reply to a command of either protocol, as it was parsed. */
type Result = ReturnType<typeof JSON.parse>;

/** Evaluates an expression in a page; its promise is awaited. */
export type Run = (expression: string) => Promise<Result>;

export interface ManagedBrowser {
  /** What the browser wrote to stderr. */
  readonly log: () => string;
  /** Sends a command of the protocol. @throws Error with the reply of a failed command */
  readonly send: (method: string, params?: object, sessionId?: string) => Promise<Result>;
  /** Opens a page in a new tab. For a page of the extension, waits until the page has rendered its content. */
  readonly openPage: (url: string) => Promise<Run>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts Chromium with the policies of a machine. Names are resolved to loopback, and certificates are not checked.
 * @param profile the name of the profile; a second start with it continues the same one
 */
export async function startChromium(machine: string, profile: string): Promise<ManagedBrowser> {
  // By default, CDP may not open a page of an extension that a policy installed.
  writeFile(machine, '/etc/chromium/policies/managed/test.json', '{ "DeveloperToolsAvailability": 1 }');
  const browser = await launch(machine, [
    process.env.CHROMIUM ?? '/usr/bin/chromium',
    ...['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-logging=stderr'],
    ...['--ignore-certificate-errors', '--host-resolver-rules=MAP *.example.ru 127.0.0.1'],
    ...['--remote-debugging-port=0', `--user-data-dir=${join(machine, profile)}`, 'about:blank'],
  ]);
  return {
    ...browser,
    async openPage(url) {
      const { targetId } = await browser.send('Target.createTarget', { url });
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
      const run = async (expression: string) => {
        const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
        const { result, exceptionDetails } = await browser.send('Runtime.evaluate', params, sessionId);
        if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
        return result.value;
      };
      const again = () => browser.send('Page.navigate', { url }, sessionId);
      if (url.startsWith('chrome-extension:')) await untilShown(run, again);
      return run;
    },
  };
}

/**
 * Waits until a page of the extension has replaced the initial text "Загружаю…". Reloads the page while the browser shows an
 * error page, because an extension's files are on the disk before the browser serves its pages.
 */
async function untilShown(run: Run, again: () => Promise<unknown>): Promise<void> {
  const text = `document.querySelector('main')?.innerText ?? (location.protocol.endsWith('error:') ? 'error' : '')`;
  const shown = async () => {
    // A page that navigates may never reply.
    const found = await Promise.race([run(text), sleep(1_000, '')]).catch(() => '');
    if (found === 'error') await again();
    return found;
  };
  await expect.poll(shown, { interval: 100 }).not.toMatch(/^(error|Загружаю…)?$/);
}

/** Clicks a button of a page of the extension once it is enabled. */
export async function click(run: Run, selector: string): Promise<void> {
  const button = `document.querySelector(${JSON.stringify(`${selector}:enabled`)})`;
  await expect.poll(() => run(`${button} !== null`)).toBe(true);
  await run(`${button}.click()`);
}

/** Signs in through an open popup. Types the given origin into the console field, unless a policy has filled the field. */
export async function signIn(run: Run, email: string, console?: string): Promise<void> {
  const typed = { email, password: 'correct horse', ...(console !== undefined && { console }) };
  await expect
    .poll(() =>
      run(`{
        for (const [name, value] of Object.entries(${JSON.stringify(typed)})) {
          const field = document.getElementById(name);
          field.value = value;
          field.dispatchEvent(new Event('input'));
        }
        document.getElementById('console').value !== '';
      }`),
    )
    .toBe(true);
  await click(run, 'button[type=submit]');
  await expect.poll(() => run('document.body.innerText')).toContain(email);
}

async function launch(
  machine: string,
  command: readonly string[],
  path = '',
): Promise<Omit<ManagedBrowser, 'openPage'>> {
  mkdirSync(join(machine, 'etc'), { recursive: true });
  const browser = spawn('unshare', ['--mount', 'sh', '-c', overEtc, join(machine, 'etc'), ...command], {
    env: { ...process.env, HOME: machine, LANG: 'C.UTF-8' },
  });
  onTestFinished(() => end(browser));
  let log = '';
  browser.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  const address = /listening on (ws:\S+)/;
  await expect.poll(() => log).toMatch(address);
  const socket = new WebSocket(`${address.exec(log)?.[1]}${path}`);
  await once(socket, 'open');
  let last = 0;
  const waiting = new Map<number, (reply: Result) => void>();
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data));
    waiting.get(reply.id)?.(reply);
  });
  return {
    log: () => log,
    async send(method, params = {}, sessionId) {
      const id = ++last;
      const replied = new Promise<Result>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      const reply = await replied;
      waiting.delete(id);
      if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    stop: () => end(browser),
  };
}

async function end(browser: ChildProcess): Promise<void> {
  browser.kill();
  if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit');
}

/**
 * Starts Firefox ESR with the policies of a machine.
 * @param profile the name of the profile
 * @param preferences of the profile
 */
export async function startFirefox(
  machine: string,
  profile: string,
  preferences: Readonly<Record<string, string | number | boolean>>,
): Promise<ManagedBrowser> {
  const folder = join(machine, profile);
  mkdirSync(folder, { recursive: true });
  const lines = Object.entries(preferences).map(
    (entry) => `user_pref(${JSON.stringify(entry).slice(1, -1)});\n`,
  );
  writeFileSync(join(folder, 'user.js'), lines.join(''));
  const browser = await launch(
    machine,
    [
      process.env.FIREFOX ?? '/usr/bin/firefox-esr',
      ...['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port=0'],
      // Without this switch WebDriver opens neither pages of extensions nor the browser's own window.
      '--remote-allow-system-access',
    ],
    '/session',
  );
  await browser.send('session.new', { capabilities: {} });
  return {
    ...browser,
    async openPage(url) {
      const { context } = await browser.send('browsingContext.create', { type: 'tab' });
      const again = () => browser.send('browsingContext.navigate', { context, url, wait: 'none' });
      await again();
      const run = (expression: string) => evaluate(browser.send, context, expression);
      await untilShown(run, again);
      return run;
    },
  };
}

async function evaluate(send: ManagedBrowser['send'], context: string, expression: string): Promise<Result> {
  const params = { expression, target: { context }, awaitPromise: true, userActivation: true };
  const { result, exceptionDetails } = await send('script.evaluate', params);
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
  return result.value;
}

/** Presses a button of an open tab of Firefox with the mouse. Firefox asks for permissions only after input of a user. */
export async function press({ send }: ManagedBrowser, url: string, selector: string): Promise<void> {
  const { contexts } = await send('browsingContext.getTree');
  const { context } = contexts.find((each: { url: string }) => each.url === url);
  await send('browsingContext.activate', { context });
  const box = `{
    const { x, y, width, height } = document.querySelector('${selector}:enabled')?.getBoundingClientRect() ?? {};
    x === undefined ? '' : [Math.round(x + width / 2), Math.round(y + height / 2)].join();
  }`;
  await expect.poll(() => evaluate(send, context, box)).not.toBe('');
  const [x, y] = (await evaluate(send, context, box)).split(',').map(Number);
  const actions = [
    { type: 'pointerMove', x, y },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ];
  await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
}

/** Evaluates an expression in Firefox's own window, with its internal interfaces. */
export async function inFirefox({ send }: ManagedBrowser, expression: string): Promise<Result> {
  const { contexts } = await send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  return evaluate(send, contexts[0].context, expression);
}
