import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockSnippets } from '@propusk/access/lock/snippets';
import { scriptPhrases } from '@propusk/phrases/launcher';
import { openFolder } from '@propusk/test-kit/daemon';
import { apacheMain, runApache } from '@propusk/test-kit/locks/apache';

/** A site of the demo or of a test. Apache serves it, locked by the text that the console shows. */
export interface LockedSite {
  readonly name: string;
  readonly title: string;
  /** The address that its lock admits; null for a site without a lock. */
  readonly admits: string | null;
  /** The files of further pages, which its first page links. */
  readonly pages?: readonly string[];
}

/**
 * Starts one Apache on loopback that serves the sites by name.
 * @throws Error when Apache is not installed or does not start
 */
export async function startLockedSites(
  port: number,
  sites: readonly LockedSite[],
): Promise<{
  /** The access log: one line of `client name status` for each request that reached Apache. */
  log(): Promise<string>;
  /** Replaces the .htaccess of a site. */
  lock(name: string, lines: string): Promise<void>;
  stop(): Promise<void>;
}> {
  const folder = await openFolder('apache');
  for (const site of sites) {
    await mkdir(join(folder, site.name));
    for (const file of ['index.html', ...(site.pages ?? [])]) {
      await writeFile(join(folder, site.name, file), page(site));
    }
    await writeFile(join(folder, site.name, '.htaccess'), lockOf(site));
  }
  await mkdir(join(folder, 'nobody'));
  const { stop } = await runApache(folder, port, configuration(folder, port, sites));
  return {
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    lock: (name, lines) => writeFile(join(folder, name, '.htaccess'), lines),
    stop,
  };
}

function lockOf({ name, admits }: LockedSite): string {
  if (admits === null) return '';
  const snippets = lockSnippets({ address: name, egress: [admits] });
  const lines = snippets.find(({ kind }) => kind === 'htaccess');
  if (lines === undefined) throw new Error('no lock text for .htaccess');
  return lines.text;
}

function configuration(folder: string, port: number, sites: readonly LockedSite[]): string {
  const modules = ['mpm_event', 'authz_core', 'authz_host', 'dir', 'mime', 'setenvif'];
  const hosts = sites.map(
    // The lock is added to an ordinary site, which grants access.
    ({ name }) => `<VirtualHost 127.0.0.1:${port}>
  ServerName ${name}
  DocumentRoot ${folder}/${name}
  <Directory ${folder}/${name}>
    AllowOverride AuthConfig
    Require all granted
  </Directory>
</VirtualHost>`,
  );
  return apacheMain(
    folder,
    modules,
    `Listen 127.0.0.1:${port}
CustomLog ${folder}/access.log "%a %v %>s"
TypesConfig /etc/mime.types
AddDefaultCharset utf-8
DirectoryIndex index.html
<Directory ${folder}>
  AllowOverride None
  Require all denied
</Directory>
# Requests for unknown names.
<VirtualHost 127.0.0.1:${port}>
  ServerName unknown.invalid
  DocumentRoot ${folder}/nobody
</VirtualHost>
${hosts.join('\n')}
`,
  );
}

function page({ name, title, pages = [] }: LockedSite): string {
  return `<!doctype html>
<html lang="ru">
<meta charset="utf-8">
<title>${title}</title>
<body style="font: 18px/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>${title}</h1>
${scriptPhrases.protectedPage(name)}
${pages.map((file) => `<a href="/${file}">${file}</a>`).join('\n')}
</body>
</html>
`;
}
