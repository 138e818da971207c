/** Reads the links of an HTML page. It knows the markup of the laboratory and of directory listings, and shares no code with the probe. */

const TAG =
  /<(a|area|base|link|meta|script|img|source|iframe|video|audio|embed)\b((?:\s+[^\s=>"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*\/?>/gi;
const ATTRIBUTE = /([^\s=>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g;

/**
 * Returns the links of a page as absolute URLs, without the links that a probe never follows.
 * @param type the Content-Type of the response
 */
export function linksOf(body: Buffer, type: string, address: string): string[] {
  const charset = /charset=["']?([\w-]+)/i.exec(`${type} ${body.toString('latin1').slice(0, 1024)}`)?.[1];
  const html = new TextDecoder(charset ?? 'utf-8').decode(body).replace(/<!--.*?-->/gs, '');
  const links: string[] = [];
  let base = address;
  for (const [, tag = '', text = ''] of html.matchAll(TAG)) {
    const attributes = attributesOf(text);
    const link = attributes.get('href') ?? attributes.get('src');
    if (tag.toLowerCase() === 'base' && link !== undefined) base = new URL(link, address).href;
    else if (!isExcluded(attributes)) {
      if (link !== undefined) links.push(link);
      links.push(...candidates(attributes.get('srcset')), ...refresh(attributes));
    }
  }
  return links.filter((link) => URL.canParse(link, base)).map((link) => new URL(link, base).href);
}

function attributesOf(text: string): Map<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)];
  return new Map(
    found.map(([, name = '', ...values]) => [
      name.toLowerCase(),
      (values.slice(0, 3).find((value) => value !== undefined) ?? '').replaceAll('&amp;', '&'),
    ]),
  );
}

function isExcluded(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('download') || attributes.has('data-method')) return true;
  return (attributes.get('rel') ?? '').split(/\s+/).includes('nofollow');
}

const candidates = (srcset = '') => srcset.split(',').flatMap((each) => each.trim().split(/\s+/)[0] || []);

function refresh(attributes: ReadonlyMap<string, string>): string[] {
  if (attributes.get('http-equiv')?.toLowerCase() !== 'refresh') return [];
  return /url=(.+)$/i.exec(attributes.get('content') ?? '')?.slice(1) ?? [];
}
