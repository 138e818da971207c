import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/extension';
import { openTimes } from '@propusk/phrases/when';
import { isExposed } from '../core/api.ts';
import { ask, type Message, type Reply } from '../core/messages.ts';
import { type Refusal, refusalOfSite, type State, timesOfSite } from '../core/state.ts';
import { limitWebRtc, readWebRtc, WEBRTC } from '../core/webrtc.ts';
import { h, notice, show } from './dom.ts';

/** The typed values survive a failure and a closed popup, except password and code. */
const typed = { console: '', email: '', password: '', code: '' };
/** The console requires the second factor's code. */
let codeNeeded = false;
let webRtc: Awaited<ReturnType<typeof readWebRtc>> = 'open';

let busy = false;

async function act(message: Message): Promise<void> {
  if (busy) return;
  busy = true;
  document.querySelector('main')?.setAttribute('aria-busy', 'true');
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  try {
    const reply = await ask(message);
    webRtc = await readWebRtc();
    render(reply);
  } catch {
    show(
      notice('error', t.failures.workerAway),
      h('button', { class: 'primary', click: () => void act({ type: 'status' }) }, t.retry),
    );
  } finally {
    busy = false;
    document.querySelector('main')?.removeAttribute('aria-busy');
  }
}

function render(reply: Reply): void {
  if (reply.codeNeeded === true) codeNeeded = true;
  if (reply.state.token === null) renderSignIn(reply);
  else renderSignedIn(reply);
}

function renderSignIn({ state, error, pinned }: Reply): void {
  if (pinned !== null) typed.console = unicodeHost(pinned);
  typed.console ||= unicodeHost(state.console ?? '');
  const field = (name: keyof typeof typed, label: string, attributes: Record<string, string | boolean>) => {
    const input = h('input', { id: name, name, required: true, ...attributes });
    input.value = typed[name];
    input.addEventListener('input', () => {
      typed[name] = input.value;
      const secret = name === 'password' || name === 'code';
      if (!secret) void chrome.storage.session.set({ typed: { ...typed, password: '', code: '' } });
    });
    return h('label', { for: name }, label, input);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const { console, email, password, code } = typed;
    void act({ type: 'sign-in', console, email, password, ...(codeNeeded && { code }) });
  };
  const back = () => {
    codeNeeded = false;
    typed.code = '';
    void act({ type: 'status' });
  };
  const fields = codeNeeded
    ? [h('p', {}, t.popup.codeHint), field('code', t.popup.code, { autocomplete: 'one-time-code' })]
    : [
        field('console', t.popup.console, {
          ...{ inputmode: 'url', autocomplete: 'url', placeholder: 'pass.example.ru' },
          readonly: pinned !== null,
        }),
        field('email', t.popup.email, { type: 'email', autocomplete: 'username' }),
        field('password', t.popup.password, { type: 'password', autocomplete: 'current-password' }),
      ];
  show(
    error === undefined ? null : notice('error', error),
    codeNeeded || error !== undefined || state.problem === null ? null : notice('warning', state.problem),
    h(
      'form',
      { submit },
      ...fields,
      h('button', { class: 'primary', type: 'submit' }, t.popup.signIn),
      codeNeeded ? h('button', { class: 'quiet', type: 'button', click: back }, t.popup.back) : null,
    ),
    codeNeeded ? null : h('p', { class: 'hint' }, t.popup.pairHint),
  );
  if (codeNeeded) document.querySelector('input')?.focus();
}

function renderSignedIn({ state, error }: Reply): void {
  codeNeeded = false;
  typed.code = '';
  const { person, access, console: origin } = state;
  const company = person?.company ?? null;
  const sites = access?.sites ?? [];
  refreshAt(access?.times?.map(({ until }) => Date.parse(until ?? '')) ?? []);
  show(
    h(
      'section',
      { class: 'person' },
      h(
        'div',
        {},
        h('strong', {}, person?.name ?? ''),
        person === null || person.name === person.email ? null : h('span', { class: 'dim' }, person.email),
        company === null ? null : h('span', { class: 'dim' }, company),
      ),
      h('button', { class: 'quiet', click: () => void act({ type: 'sign-out' }) }, t.popup.signOut),
    ),
    error === undefined ? null : notice('error', error),
    ...warnings(state),
    // A problem with the access is solved in the console, so link to the console.
    access === null && state.problem !== null && origin !== null
      ? h('a', { class: 'primary', href: origin, target: '_blank', rel: 'noreferrer' }, t.popup.openConsole)
      : null,
    access?.allSites === true ? webRtcChoice(access) : null,
    access === null ? null : h('h2', {}, access.allSites ? t.popup.allSites : t.popup.sites),
    access !== null && sites.length === 0 && !access.allSites
      ? h('p', { class: 'dim' }, t.popup.noSites)
      : null,
    h('ul', { class: 'sites' }, ...sites.map((address) => siteRow(state, address))),
    h(
      'footer',
      {},
      h('button', { class: 'quiet', click: () => void act({ type: 'refresh' }) }, t.popup.refresh),
      origin === null ? null : h('a', { href: origin, target: '_blank', rel: 'noreferrer' }, t.toConsole),
    ),
  );
}

/** Says whether WebRTC may bypass the gateway, with a button that changes it unless another program controls the setting. */
function webRtcChoice(access: State['access']): HTMLElement {
  const change = async () => {
    if (webRtc === 'open') {
      // The request must be the first call after the click: a browser rejects a later one.
      await chrome.permissions.request(WEBRTC);
      // The worker sets the value too, because the permission prompt may close the popup.
      await limitWebRtc(access);
    } else {
      await chrome.privacy.network.webRTCIPHandlingPolicy.clear({});
      await chrome.permissions.remove(WEBRTC);
    }
    await act({ type: 'status' });
  };
  const choice = h('section', { class: 'webrtc' }, h('p', { class: 'dim' }, t.popup.webRtc[webRtc]));
  if (webRtc === 'held') return choice;
  // A browser policy may forbid the permission.
  const click = () => void change().catch(() => choice.append(notice('error', t.failures.unexpected)));
  choice.append(
    h('button', { class: 'quiet', click }, t.popup.webRtc[webRtc === 'open' ? 'close' : 'reopen']),
  );
  return choice;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Refreshes the open popup at the earliest of these times that is in the future, if it is within an hour. */
function refreshAt(times: readonly number[]): void {
  clearTimeout(timer);
  const wait = Math.min(...times.filter((time) => time > Date.now())) - Date.now();
  if (wait < 3_600_000) timer = setTimeout(() => void act({ type: 'refresh' }), wait + 500);
}

function warnings(state: State): HTMLElement[] {
  const { problem, advice } = t.popup.heldByExtension;
  return [
    state.proxyHeldBy === 'extension' && notice('warning', problem, advice),
    state.proxyHeldBy === 'policy' && notice('warning', t.popup.heldByPolicy),
    state.problem !== null && notice('warning', state.problem),
    state.gatewayAway && notice('error', t.popup.gatewayAway),
    state.consoleAway && notice('warning', t.popup.consoleAway),
    state.console !== null && isExposed(state.console) && notice('warning', t.popup.exposed),
  ].filter((shown) => shown !== false);
}

function siteRow(state: State, address: string): HTMLElement {
  const [host = '', port] = address.replace(/^\*\./, '').split(':');
  const refusal = refusalOfSite(state, address);
  const times = timesOfSite(state, address);
  const [mark, text] = stateOf(state, refusal, times?.open !== false);
  const said = times?.until === undefined ? null : openTimes(times.open, times.until);
  const detail = refusal && times?.open !== false ? `${refusal.message} ${refusal.advice ?? ''}` : said;
  const url = `${port === undefined || port === '443' ? 'https' : 'http'}://${host}${port === undefined ? '' : `:${port}`}/`;
  return h(
    'li',
    {},
    h(
      'a',
      { href: url, target: '_blank', rel: 'noreferrer' },
      h('span', { class: 'address' }, unicodeHost(address)),
      h('span', { class: `mark ${mark}` }, text),
    ),
    state.gatewayAway || detail === null ? null : h('p', { class: 'dim' }, detail),
  );
}

function stateOf(state: State, refusal: Refusal | undefined, isOpen: boolean): [mark: string, text: string] {
  if (state.gatewayAway) return ['shut', t.popup.states.gatewayAway];
  if (state.proxyHeldBy !== null) return ['shut', t.popup.states.proxyHeld];
  if (!isOpen) return ['dim', t.popup.states.refused];
  if (refusal?.kind === 'unreached') return ['held', t.popup.states.unreached];
  if (refusal !== undefined) return ['shut', t.popup.states.refused];
  return ['open', t.popup.states.open];
}

// The browser provides the policy some time after the installation, so the popup may open before the policy is known.
chrome.storage.onChanged.addListener((_, area) => {
  if (area === 'managed') void act({ type: 'status' });
});
const { typed: kept } = await chrome.storage.session.get('typed');
Object.assign(typed, kept);
await act({ type: 'status' });
// Show the stored state at once, then refresh it.
const signedIn = document.querySelector('.person') !== null;
if (signedIn) await act({ type: 'refresh' });
