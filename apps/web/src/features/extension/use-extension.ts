import { useEffect, useState } from 'react';

/** The extension's state on this page, from the document's data attributes. */
export type Heard = 'looking' | 'absent' | 'there' | 'yes' | 'refused' | 'failed';

/** The extension marks the page as it loads; after this delay it counts as absent. */
const PATIENCE_MS = 1500;
/** The extension's question expires after two minutes. */
const QUESTION_MS = 150_000;

/** Reads the extension's marks; null while there are none. */
export function heardFrom(said: { propuskExtension?: string; propuskPaired?: string }): Heard | null {
  const { propuskPaired: end } = said;
  if (end === 'yes' || end === 'refused' || end === 'failed') return end;
  return said.propuskExtension === undefined ? null : 'there';
}

/** Tracks the extension on this page: presence, and the outcome of the sign-in. */
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
