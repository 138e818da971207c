import { useEffect, useState } from 'react';

/** What the extension says of itself on this page, through the document's own attributes. */
export type Heard = 'looking' | 'absent' | 'there' | 'yes' | 'refused' | 'failed';

/** The extension marks the page as soon as it sees it; one that is still silent after this long is not there. */
const PATIENCE_MS = 1500;
/** The extension's question stands for two minutes: what is not answered by then will not be. */
const QUESTION_MS = 150_000;

/** Reads what the extension has said so far, or null while it is silent. */
export function heardFrom(said: { propuskExtension?: string; propuskPaired?: string }): Heard | null {
  const { propuskPaired: end } = said;
  if (end === 'yes' || end === 'refused' || end === 'failed') return end;
  return said.propuskExtension === undefined ? null : 'there';
}

/** Follows the extension on this page: whether it is installed, and how the signing in ended. */
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
