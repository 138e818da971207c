import { randomBytes } from 'node:crypto';
import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { login, Token } from '@propusk/contract/auth';
import { register } from '@propusk/contract/registration';
import { admin, PASSWORD } from '../../scripts/demo-data.ts';
import { fillDemo } from '../../scripts/fill-demo.ts';
import { type RunningProduct, startProduct } from './product.ts';
import type { Scenario, Viewer } from './scenario.ts';

const json = { 'content-type': 'application/json' };

/** The token of every viewer, on a product that `prepare` filled. */
export type Tokens = Readonly<Record<Exclude<Viewer, 'nobody'>, string>>;

/**
 * Fills a fresh product with the demo's companies and an empty one, and signs every viewer in.
 * @param adminPassword the password of `admin@propusk.test`
 * @param feedToken the gateways' key; without it the companies have no visits
 */
export async function prepare(
  consoleUrl: string,
  sitePort: number,
  adminPassword = PASSWORD,
  feedToken?: string,
): Promise<Tokens> {
  const { agent, owners } = await fillDemo(consoleUrl, sitePort, feedToken);
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${consoleUrl}/api${path}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    });
    return Token.parse(await answer.json()).token;
  };
  const signIn = (email: string, password = PASSWORD) => post(login.path, { email, password });
  return {
    owner: await signIn(owners[0] ?? ''),
    newcomer: await post(register.path, {
      name: 'Новая компания',
      companyName: 'Новая компания',
      companySite: 'novaya.test',
      ownerName: 'Вера Новикова',
      email: 'owner@novaya.test',
      password: PASSWORD,
    }),
    agent: await signIn(agent),
    // The demo's only user without a policy.
    stranger: await signIn('gleb.tihonov@romashka.test'),
    admin: await signIn(admin, adminPassword),
  };
}

/** The secret that a demo product shares with its gateways. */
const secret = randomBytes(32).toString('base64url');
/** The key with which gateways send access records to a demo product. */
export const demoFeed = gatewayKeys(secret).feed;

/**
 * Starts the product that `prepare` fills. The demo's companies must never reach a real database.
 * @param settings more environment
 */
export function startDemoProduct(
  settings: (consolePort: number) => NodeJS.ProcessEnv = () => ({}),
): Promise<RunningProduct> {
  const own = { DATABASE_URL: undefined, SECRET_KEY: undefined, GATEWAY_SECRET: secret };
  return startProduct((ports) => ({
    ...{ ADMIN_EMAIL: admin, ADMIN_PASSWORD: PASSWORD },
    ...settings(ports.console),
    ...own,
  }));
}

/** The colour scheme and size of a browser. */
export interface Appearance {
  scheme: 'light' | 'dark';
  size: 'desktop' | 'phone' | 'wide';
}

/** Every combination of a colour scheme and a size that axe checks. */
export const appearances: readonly Appearance[] = (['light', 'dark'] as const).flatMap((scheme) =>
  (['desktop', 'phone'] as const).map((size) => ({ scheme, size })),
);

/** Both schemes on a screen of 2560 pixels, for screenshots. */
export const wideAppearances: readonly Appearance[] = (['light', 'dark'] as const).map((scheme) => ({
  scheme,
  size: 'wide',
}));

const viewports = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1440, height: 900 },
  wide: { width: 2560, height: 1440 },
} as const;

/** Creates a browser context for a viewer, already signed in. */
async function browserOf(
  browser: Browser,
  tokens: Tokens,
  { scheme, size }: Appearance,
  scenario: Pick<Scenario, 'role' | 'firstVisit'>,
): Promise<BrowserContext> {
  const phone = size === 'phone';
  const context = await browser.newContext({
    locale: 'ru-RU',
    colorScheme: scheme,
    viewport: viewports[size],
    isMobile: phone,
    hasTouch: phone,
    reducedMotion: 'reduce',
  });
  const kept: Record<string, string> = {};
  if (scenario.role !== 'nobody') kept.access_token = tokens[scenario.role];
  if (!scenario.firstVisit) {
    kept.checkOnboarding = 'true';
    // The onboarding card of an empty company stays unfolded.
    if (scenario.role !== 'newcomer') kept.firstSteps = 'folded';
  }
  await context.addInitScript((items) => {
    for (const [name, value] of Object.entries(items)) localStorage.setItem(name, value);
  }, kept);
  return context;
}

/** Keeps one browser context for each viewer, so that later pages load from the HTTP cache. */
export function viewersOf(browser: Browser, tokens: () => Tokens) {
  const contexts = new Map<string, Promise<BrowserContext>>();
  return {
    /** @param begin prepares a new context */
    contextOf(
      look: Appearance,
      scenario: Scenario,
      begin: (context: BrowserContext) => Promise<void> = async () => {},
    ): Promise<BrowserContext> {
      const viewer = `${scenario.role} ${scenario.firstVisit} ${look.scheme} ${look.size}`;
      const context =
        contexts.get(viewer) ??
        browserOf(browser, tokens(), look, scenario).then(async (made) => {
          await begin(made);
          return made;
        });
      contexts.set(viewer, context);
      return context;
    },
    async close() {
      for (const context of contexts.values()) await (await context).close();
      contexts.clear();
    },
  };
}

/** True when fonts are loaded and only endless animations (skeletons) run. Evaluated in the page. */
const STILL = `document.fonts.status === 'loaded' && document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)`;

/** Opens a scenario, and waits until fonts and animations settle. */
export async function visit(page: Page, consoleUrl: string, scenario: Scenario): Promise<void> {
  await page.goto(`${consoleUrl}${scenario.path}`);
  await expect(page).toHaveTitle(/ · /);
  await expect(page.locator('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')).toHaveCount(
    0,
  );
  await scenario.open?.(page);
  await expect.poll(() => page.evaluate(STILL), { intervals: [50] }).toBe(true);
}
