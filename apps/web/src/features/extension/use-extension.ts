import { useEffect, useState } from 'react';

/** The extension's state on this page, from the document's data attributes. */
export type Heard = 'looking' | 'absent' | 'there' | 'yes' | 'refused' | 'failed';

/** The extension sets its data attributes on page load. Without them after this delay, it counts as absent. */
const PATIENCE_MS = 1500;
/** The wait for the user's answer. The extension's own question expires after two minutes. */
const QUESTION_MS = 150_000;

/** Reads the extension's state from its data attributes; null while the document has none. */
export function heardFrom(said: { propuskExtension?: string; propuskPaired?: string }): Heard | null {
  const { propuskPaired: end } = said;
  if (end === 'yes' || end === 'refused' || end === 'failed') return end;
  return said.propuskExtension === undefined ? null : 'there';
}

/** Watches whether the extension is present on this page, and how its sign-in ends. */
export function useExtension(): Heard {
  const [heard, setHeard] = useState<Heard>(() => heardFrom(document.documentElement.dataset) ?? 'looking');
  useEffect(() => {
    const root = document.documentElement;
    const listen = () => {
      const now = heardFrom(root.dataset);
      if (now !== null) setHeard(now);
    };
    const observer = new MutationObserver(listen);
    observer.observe(root, { attributeFilter: ['data-propusk-extension', 'data-propusk-paired'] });
    listen();
    const absent = window.setTimeout(
      () => setHeard((now) => (now === 'looking' ? 'absent' : now)),
      PATIENCE_MS,
    );
    const late = window.setTimeout(() => setHeard((now) => (now === 'there' ? 'failed' : now)), QUESTION_MS);
    return () => {
      observer.disconnect();
      window.clearTimeout(absent);
      window.clearTimeout(late);
    };
  }, []);
  return heard;
}
