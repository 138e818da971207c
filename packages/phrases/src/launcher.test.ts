import { backupPhrases } from '@propusk/phrases/launcher';
import { expect, test } from 'vitest';

test.each([
  ['/var/lib/propusk', 'mv -T /var/lib/propusk /var/lib/propusk.old', 'rm -r /var/lib/propusk'],
  ['/srv/my data', "mv -T '/srv/my data' '/srv/my data.old'", "rm -r '/srv/my data'"],
  ["/srv/it's; ls", "mv -T '/srv/it'\\''s; ls' '/srv/it'\\''s; ls.old'", "rm -r '/srv/it'\\''s; ls'"],
])('the printed commands quote the data folder %s for the shell', (path, move, remove) => {
  expect(backupPhrases.folderNotEmpty(path, undefined).endsWith(`: ${move}`)).toBe(true);
  expect(backupPhrases.restoreFailed('-', path).endsWith(`: ${remove}`)).toBe(true);
  expect(backupPhrases.restoreInterrupted(path)).toContain(`(${remove};`);
});
