import * as t from '@propusk/phrases/console';
import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { preloadToasts, toastFailure } from './toast.ts';

// Vite takes a style sheet that did not come for one that is there, and would open the part without it the next time.
window.addEventListener('error', ({ target }) => target instanceof HTMLLinkElement && target.remove(), true);

/** What opens by a click. One without `opened` is mounted while it is open. */
interface Opens {
  opened?: boolean;
  onClose: () => void;
}

/** A part that comes when it is asked for. */
export type LazyPart<Props extends Opens> = ComponentType<Props> & {
  preload: () => void;
  /** For the button that opens it: a pointer on its way there, or the focus, fetches the code before the click. */
  intent: { onPointerEnter: () => void; onFocus: () => void };
};

/**
 * A dialog or a menu in a file of its own: no page waits for code that most visits never run. When the file does not
 * come a toast says so, and what was to open stays closed.
 */
export function lazyPart<Props extends Opens>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const fetched = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component;
      },
      (error: unknown) => {
        // The next click tries again.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  // The click says that it failed.
  const preload = () => {
    fetched().catch(() => {});
    preloadToasts();
  };

  function Part(props: Props) {
    const { opened = true, onClose } = props;
    const [there, setThere] = useState(false);
    const [entered, setEntered] = useState(false);
    const fail = useEffectEvent(() => {
      toastFailure(t.failures.notLoadedHint);
      onClose();
    });
    useEffect(() => {
      if (!opened || there) return;
      let left = false;
      fetched().then(
        () => {
          if (left) return;
          // It enters the page closed, and opens then: what is open from the start neither moves in nor knows what had the
          // focus before.
          flushSync(() => setThere(true));
          setEntered(true);
        },
        () => left || fail(),
      );
      return () => {
        left = true;
      };
    }, [opened, there]);
    if (!there || Loaded === undefined) return null;
    return <Loaded {...props} {...(props.opened !== undefined && { opened: opened && entered })} />;
  }
  return Object.assign(Part, { preload, intent: { onPointerEnter: preload, onFocus: preload } });
}
