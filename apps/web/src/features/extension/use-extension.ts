import { useEffect, useState } from 'react';

/** The extension's state on this page, from the document's data attributes. */
export type Status = 'looking' | 'absent' | 'there' | 'yes' | 'refused' | 'failed';

/** The extension sets data attributes on page load. If there are none after this delay, the extension counts as absent. */
const PATIENCE_MS = 1500;
/** How long the page waits for the user's answer. The extension's own question expires after two minutes. */
const QUESTION_MS = 150_000;

/** Reads the extension's state from its data attributes; null while the document has none. */
export function statusOf(attributes: { propuskExtension?: string; propuskPaired?: string }): Status | null {
  const { propuskPaired: end } = attributes;
  if (end === 'yes' || end === 'refused' || end === 'failed') return end;
  return attributes.propuskExtension === undefined ? null : 'there';
}

/** Watches whether the extension is present on this page, how its sign-in ends, and the ids that it tells the user's own console. */
export function useExtension(): { status: Status; ids: string | undefined } {
  const [status, setStatus] = useState<Status>(() => statusOf(document.documentElement.dataset) ?? 'looking');
  const [ids, setIds] = useState<string>();
  useEffect(() => {
    const root = document.documentElement;
    const update = () => {
      const now = statusOf(root.dataset);
      setIds(root.dataset.propuskId);
      if (now !== null) setStatus(now);
    };
    const observer = new MutationObserver(update);
    observer.observe(root, {
      attributeFilter: ['data-propusk-extension', 'data-propusk-paired', 'data-propusk-id'],
    });
    update();
    const absent = window.setTimeout(
      () => setStatus((now) => (now === 'looking' ? 'absent' : now)),
      PATIENCE_MS,
    );
    const late = window.setTimeout(() => setStatus((now) => (now === 'there' ? 'failed' : now)), QUESTION_MS);
    return () => {
      observer.disconnect();
      window.clearTimeout(absent);
      window.clearTimeout(late);
    };
  }, []);
  return { status, ids };
}
