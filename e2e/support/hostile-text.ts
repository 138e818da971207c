import type { BrowserContext, Page, Route } from '@playwright/test';

/**
 * Text that tries to become markup or script, so that tests can detect its execution. Each payload calls `ran(…)`,
 * requests `/canary`, and puts `data-canary` on every element it creates.
 */
export const payloads: readonly string[] = [
  // Elements that execute without interaction.
  '<script data-canary>ran(1)</script>',
  '<img data-canary src=/canary onerror=ran(2)>',
  '<svg data-canary onload=ran(3)>',
  '<svg data-canary><script>ran(4)</script></svg>',
  '<body data-canary onload=ran(5)>',
  '<iframe data-canary srcdoc="<script>parent.ran(6)</script>"></iframe>',
  '<iframe data-canary src="javascript:parent.ran(7)"></iframe>',
  '<video data-canary><source onerror=ran(8)></video>',
  '<audio data-canary src=/canary onerror=ran(9)>',
  '<details data-canary open ontoggle=ran(10)>x</details>',
  '<input data-canary autofocus onfocus=ran(11)>',
  '<object data-canary data="javascript:ran(12)"></object>',
  '<embed data-canary src="/canary">',
  '<link data-canary rel=stylesheet href="/canary">',
  '<style data-canary>@import "/canary";*{animation:a}@keyframes a{}</style>',
  '<meta data-canary http-equiv=refresh content="0;url=javascript:ran(16)">',
  '<base data-canary href="//evil.test/">',
  '<form data-canary action="javascript:ran(18)"><button>x</button></form>',
  '<a data-canary href="javascript:ran(19)">x</a>',
  '<math data-canary><mtext><img src=/canary onerror=ran(20)></mtext></math>',
  '<marquee data-canary onstart=ran(21)>x</marquee>',
  '<template data-canary shadowrootmode=open><img src=/canary onerror=ran(22)></template>',
  // Breakouts from attributes, raw text and string literals.
  '" data-canary onmouseover="ran(23)" x="',
  "' data-canary onfocus='ran(24)' autofocus x='",
  '"><img data-canary src=/canary onerror=ran(25)>',
  "'><svg data-canary onload=ran(26)>",
  '</script><script data-canary>ran(27)</script>',
  '</title><img data-canary src=/canary onerror=ran(28)>',
  '</textarea></style></noscript><svg data-canary onload=ran(29)>',
  "');ran(30);//",
  '`-ran(31)-`',
  '\\u003cimg data-canary src=/canary onerror=ran(32)\\u003e',
  // Templates, error-correcting parsers and decoders.
  '{{constructor.constructor("ran(33)")()}}',
  '${ran(34)}<%= ran(34) %>#{ran(34)}',
  '<scr<script>ipt data-canary>ran(35)</scr</script>ipt>',
  '&lt;img data-canary src=/canary onerror=ran(36)&gt;&#60;svg data-canary onload=ran(36)&#62;',
  '%3Csvg%20data-canary%20onload%3Dran(37)%3E',
  '<svg><style><img data-canary src=/canary onerror=ran(38)></style></svg>',
  // A script URL, and bidirectional controls that reorder or hide text.
  'javascript:ran(39)//https://romashka.test',
  '\u202e<img data-canary src=/canary onerror=ran(40)>\u2066\ufeff\u00ad',
];

/** Fields that hold codes, dates or server-made addresses, and never text from a user. */
const words = new Set(
  'id at action type value state verdict client vantage outcome kind code token scheme reason version expiresAt until supportUntil createdAt updatedAt'
    .concat(
      ' startedAt finishedAt inForceAt checkedAt learnedAt lastSeenAt seenAt allSites current port uri since currency what beyond planEndsAt trialEndsAt stopsAt dueAt timeZone zone validFrom validUntil changesAt mode level proxyHeldBy consoleUrl chromiumId chromium',
    )
    .split(' '),
);

/** Appends hostile text to every string that users or foreign servers supply. */
function poison(answer: unknown, hostile: string, key = ''): unknown {
  if (typeof answer === 'string') return words.has(key) || answer === '' ? answer : `${answer} ${hostile}`;
  if (Array.isArray(answer)) return answer.map((one) => poison(one, hostile, key));
  if (answer === null || typeof answer !== 'object') return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, poison(value, hostile, name)]),
  );
}

/** Adds hostile text to every reply that a page receives, and to the replies that a test stubs through `page.route`. */
export async function poisonAnswers(page: Page, hostile: string): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    if (!answer.headers()['content-type']?.includes('json') || text === '')
      return route.fulfill({ response: answer });
    return route.fulfill({ response: answer, json: poison(JSON.parse(text), hostile) });
  });
  const plain = page.route.bind(page);
  page.route = (url, handle, options) =>
    plain(
      url,
      (route, request) => {
        const fulfill: Route['fulfill'] = (given) =>
          route.fulfill({
            ...given,
            ...(given?.json !== undefined && { json: poison(given.json, hostile) }),
          });
        return handle(
          new Proxy(route, {
            get(target, name) {
              const member: unknown = name === 'fulfill' ? fulfill : Reflect.get(target, name);
              return typeof member === 'function' ? member.bind(target) : member;
            },
          }),
          request,
        );
      },
      options,
    );
}

/**
 * Records script executions, dialogs, errors, policy violations and canary requests of all pages. @returns the growing
 * record
 */
export async function watchFor(context: BrowserContext): Promise<string[]> {
  const seen: string[] = [];
  await context.exposeFunction('ran', (which: unknown) => void seen.push(`ran ${String(which)}`));
  await context.exposeFunction('violated', (what: string) => void seen.push(`violated ${what}`));
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      violated([violatedDirective, blockedURI, sample].join(' ')))`,
  );
  context.on('page', (page) => {
    // A blank page does not belong to our origin, so an init script may fail there.
    page.on('pageerror', (error) => {
      if (page.url() !== 'about:blank') seen.push(`error ${error.message}`);
    });
    page.on('dialog', (dialog) => {
      seen.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      // Match host and path only: a query may legitimately carry the payload as text.
      const { hostname, pathname } = new URL(request.url());
      if (hostname === 'evil.test' || pathname.includes('/canary')) seen.push(`request ${request.url()}`);
    });
  });
  return seen;
}

/** Returns elements and attributes that hostile text created in a page. */
export function grown(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[
    ...[...document.querySelectorAll('[data-canary], base, iframe, object, embed')].map((one) => one.outerHTML.slice(0, 100)),
    ...[...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((one) =>
      ['href', 'src', 'action', 'formaction'].flatMap((name) => {
        const value = one.getAttribute(name);
        if (value === null || !URL.canParse(value, location.href)) return [];
        const { protocol, origin } = new URL(value, location.href);
        const foreign = location.protocol === 'chrome-extension:' && /^https?:/.test(protocol);
        const well = foreign || /^(mailto|tel|data|otpauth):$/.test(protocol) || origin === location.origin || one.matches('a[rel~=noopener]');
        return well ? [] : [name + '=' + value.slice(0, 100)];
      })),
    ...[...document.querySelectorAll('a[target]')].filter((one) => !/noopener|noreferrer/.test(one.rel)).map((one) => 'opener ' + one.href),
    ...[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].filter(({ name }) => /^on/.test(name)).map(({ name }) => name)),
  ]`);
}
