import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { takePictures } from '../support/pictures.ts';

test('the pictures of the documents show the current menus, headings and buttons of the pages', async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const kept = await readFile(new URL('../../docs/pictures/shown.json', import.meta.url), 'utf8');
  const shown = await takePictures(browser, null);
  expect(shown, 'take them again: npm run tour -- docs').toEqual(JSON.parse(kept));
});
