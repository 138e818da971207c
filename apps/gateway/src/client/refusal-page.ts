import { errorPage } from '@propusk/phrases/gateway';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

// The console's colours and mark, inline: a request from this page would go to the site's origin.
const style = `body{margin:0;min-height:100vh;display:grid;place-items:center;background:#f6f8f7;color:#1b1f1e;
font:16px/1.5 system-ui,sans-serif}main{width:min(30rem,calc(100vw - 4rem));background:#fff;border:1px solid #dfe5e3;
border-radius:12px;padding:2rem;margin:2rem}h1{font-size:1.5rem;line-height:1.25;margin:1.25rem 0 .25rem}p{margin:.75rem 0 0}
b{display:block;font-weight:500;color:#5b6663;overflow-wrap:anywhere}a{display:inline-block;margin-top:1.5rem;
padding:.5rem 1rem;border-radius:6px;background:#0b6e60;color:#fff;text-decoration:none;font-weight:600}
a:focus-visible{outline:2px solid #0b6e60;outline-offset:2px}small{display:block;margin-top:1.5rem;color:#5b6663}`;
const mark = `<svg width="40" height="40" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"
fill="#0b6e60"/><path d="M8.5 25V9.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V25" fill="none" stroke="#fff" stroke-width="3"
stroke-linecap="round"/><circle cx="16" cy="15" r="2.4" fill="#8ff0d8"/><path d="M16 20.5V25" stroke="#8ff0d8"
stroke-width="3" stroke-linecap="round"/></svg>`;

/**
 * The page that a user sees instead of the site. All external text is escaped here.
 * @param reason the code to quote to support
 */
export function refusalPage(
  status: number,
  reason: string,
  text: Record<'site' | 'why' | 'advice' | 'consoleUrl', string>,
) {
  const heading = errorPage.headings[status] ?? errorPage.headings[403];
  const site = escapeHtml(text.site.slice(0, 300));
  return `<!doctype html>
<html lang="ru">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${heading}${site === '' ? '' : `: ${site}`}</title>
<style>${style}</style>
<main>
${mark}
<h1>${heading}</h1>
<b>${site}</b>
<p>${escapeHtml(text.why)}
<p>${escapeHtml(text.advice)}
<p><a href="${escapeHtml(text.consoleUrl)}">${errorPage.openConsole}</a>
<small>${status} ${reason}</small>
</main>
</html>
`;
}
