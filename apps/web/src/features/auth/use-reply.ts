import { useEffect, useEffectEvent, useState } from 'react';

interface Asked<T> {
  /** The reply; null before it arrives, and after a failure. */
  reply: T | null;
  error: Error | null;
}

/** Makes a call when the page opens. The auth area has no query client, so that its first page loads little code. */
export function useReply<T>(send: (signal: AbortSignal) => Promise<T>): Asked<T> & { retry: () => void } {
  const [asked, setAsked] = useState<Asked<T>>({ reply: null, error: null });
  function ask() {
    const leaving = new AbortController();
    send(leaving.signal).then(
      (reply) => setAsked({ reply, error: null }),
      (error) => leaving.signal.aborted || setAsked({ reply: null, error }),
    );
    return () => leaving.abort();
  }
  const onOpen = useEffectEvent(ask);
  useEffect(() => onOpen(), []);
  const retry = () => {
    setAsked({ reply: null, error: null });
    ask();
  };
  return { ...asked, retry };
}
