import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/extension';
import { openTimes } from '@propusk/phrases/when';
import { ask } from '../core/messages.ts';
import { addressOf } from '../core/tabs.ts';
import { h, notice, show } from './dom.ts';

/** Replaces the browser's 'tunnel failed' page: the site, the reason, the advice. */
const url = decodeURIComponent(location.hash.slice(1));
const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

if (isWeb) {
  const address = addressOf(url);
  document.title = t.refusedPage.tabTitle(unicodeHost(address));
  const { state } = await ask({ type: 'status' });
  const refusal = state.refusals[address];
  show(
    h('h1', {}, t.refusedPage.title),
    h('p', { class: 'origin' }, unicodeHost(address)),
    refusal === undefined
      ? h('p', {}, state.token === null ? (state.problem ?? t.failures.signedOut) : t.refusedPage.openNow)
      : notice(refusal.kind === 'unreached' || refusal.until ? 'warning' : 'error', refusal.message),
    refusal?.until ? h('p', {}, `${openTimes(false, refusal.until)}.`) : null,
    refusal?.advice === undefined || refusal.advice === null ? null : h('p', {}, refusal.advice),
    h(
      'div',
      { class: 'actions' },
      h('a', { class: 'primary', href: url }, t.retry),
      state.console === null ? null : h('a', { class: 'quiet', href: state.console }, t.toConsole),
    ),
  );
}
