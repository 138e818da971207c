import * as t from '@propusk/phrases/console';
import { type ComponentType, lazy, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { preloadToasts, toastFailure } from './toast.ts';

// Vite reuses the <link> of a style sheet that failed, so the next attempt would open the dialog without its styles.
window.addEventListener('error', ({ target }) => target instanceof HTMLLinkElement && target.remove(), true);

/** Props of a dialog or a menu. Without `opened` it is mounted while it is open. */
interface Opens {
  opened?: boolean;
  onClose: () => void;
}

type PropsOf<Component> = Component extends (props: infer Props) => ReactNode ? Props : never;

/** A dialog or a menu in a file of its own. */
export type LazyDialog<Props> = ComponentType<Props> & {
  preload: () => void;
  /** Handlers for the button that opens it: hover and focus fetch the file before the click. */
  intent: { onPointerEnter: () => void; onFocus: () => void };
};

/**
 * Puts a dialog or a menu into a file of its own. When the file does not load, a toast says so and `onClose` is called; the
 * next click tries again. React.lazy would keep the first failure for good, and mount the dialog already open: Mantine would
 * then neither animate it nor note which element had the focus.
 */
export function lazyDialog<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyDialog<PropsOf<Module[Name]>> {
  let Loaded: ComponentType<Opens> | undefined;
  const fetched = async () => {
    Loaded = (await load())[name] as ComponentType<Opens>;
  };
  // The click reports a failure.
  const preload = () => {
    fetched().catch(() => {});
    preloadToasts();
  };

  function Dialog(props: Opens) {
    const { opened = true, onClose } = props;
    const [mounted, setMounted] = useState(false);
    const [entered, setEntered] = useState(false);
    const fail = useEffectEvent(() => {
      toastFailure(t.failures.notLoadedHint);
      onClose();
    });
    useEffect(() => {
      if (!opened || mounted) return;
      let cancelled = false;
      fetched().then(
        () => {
          if (cancelled) return;
          flushSync(() => setMounted(true));
          setEntered(true);
        },
        () => cancelled || fail(),
      );
      return () => {
        cancelled = true;
      };
    }, [opened, mounted]);
    if (!mounted || Loaded === undefined) return null;
    return <Loaded {...props} {...(props.opened !== undefined && { opened: opened && entered })} />;
  }
  const intent = { onPointerEnter: preload, onFocus: preload };
  return Object.assign(Dialog, { preload, intent }) as LazyDialog<PropsOf<Module[Name]>>;
}

/** A part that the page can do without, in a file of its own: nothing is shown when the file does not load. */
export function lazyOptional<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Part = ComponentType<PropsOf<Module[Name]>>;
  return lazy<Part>(() =>
    load().then(
      (module) => ({ default: module[name] as Part }),
      () => ({ default: () => null }),
    ),
  );
}
