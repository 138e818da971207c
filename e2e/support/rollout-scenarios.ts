import { answeringReload, failing, loaded, type Scenario, type Steps, shows, states } from './scenario.ts';

/** The page with the policies that install the extension, with builds that the demo does not have. */
const path = '/dashboard/creator/rollout';

export const builds = {
  consoleUrl: 'https://pass.romashka.ru',
  signed: {
    version: '0.2.0',
    chromiumId: 'abcdefghijklmnopabcdefghijklmnop',
    firefoxId: 'propusk@pass.romashka.ru',
  },
  stores: {
    chromium: 'https://chromewebstore.google.com/detail/propusk/ponmlkjihgfedcbaponmlkjihgfedcba',
    firefox: null,
  },
};

/** Chooses a browser, a system and a source. */
const shown = (...names: string[]): Steps =>
  answeringReload('**/api/extension', builds, async (page) => {
    for (const [at, name] of names.entries()) await page.getByRole('combobox').nth(at).selectOption(name);
  });

export const rolloutScenarios: readonly Scenario[] = states('owner', path, {
  rollout: shown('Edge', 'Windows'),
  'rollout-signed': shown('Яндекс Браузер', 'macOS', 'С сервера «Пропуска»'),
  'rollout-firefox': shown('Firefox', 'Linux'),
  'rollout-none': loaded,
  'rollout-failed': failing('**/api/extension', shows('Сведения о сборках не загрузились')),
});
