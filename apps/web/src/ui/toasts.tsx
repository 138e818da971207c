import { CloseButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { closeToast, type Toast, useToasts } from './toast.ts';
import classes from './toasts.module.css';

/** The largest number of visible toasts. Later toasts wait in a queue. */
const SHOWN = 3;

/** How long a toast stays, in milliseconds. */
const STAY_MS = { success: 4000, failure: 8000 };

/**
 * Renders the open toasts. Not a lazy component, because a toast about a lost network must not depend on loading a
 * file.
 */
export function Toasts() {
  const toasts = useToasts();
  return (
    <div className={classes.list}>
      {toasts.slice(0, SHOWN).map((toast) => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Shown({ toast: { id, kind, text, detail } }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => closeToast(id), STAY_MS[kind]);
    return () => window.clearTimeout(timer);
  }, [held, id, kind]);
  return (
    <div
      className={classes.toast}
      data-tone={kind === 'success' ? 'good' : 'bad'}
      role={kind === 'success' ? 'status' : 'alert'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div>
        <p>{text}</p>
        {detail && <p>{detail}</p>}
      </div>
      <CloseButton size="sm" onClick={() => closeToast(id)} />
    </div>
  );
}
