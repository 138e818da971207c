import * as t from '@propusk/phrases/console';
import {
  Component,
  type ComponentType,
  lazy,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { toastFailure } from './toast.ts';

// Removes the <link> of a style sheet that failed to load. Vite would reuse it, and a retry would open without styles.
globalThis.addEventListener?.('error', ({ target: e }) => e instanceof HTMLLinkElement && e.remove(), true);

/** Props of a dialog or a menu. Without `opened`, the component is mounted only while it is open. */
interface Opens {
  opened?: boolean;
  onClose: () => void;
}

/** The props of a component. */
export type PropsOf<Component> = Component extends (props: infer Props) => ReactNode ? Props : never;

/** A dialog or a menu whose code is a separate file. */
export type LazyDialog<Props> = ComponentType<Props> & {
  preload: () => void;
  /** Handlers for the button that opens the dialog: hover and focus fetch the file before the click. */
  intent: { onPointerEnter: () => void; onFocus: () => void };
};

/**
 * Loads a dialog or a menu from a separate file. When the file does not load, a toast reports it and `onClose` is
 * called; the next click tries again. An error inside the dialog closes only the dialog. React.lazy would cache a failed
 * load, and would mount the dialog already open: Mantine would then not animate it, nor return the focus on close.
 */
export function lazyDialog<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyDialog<PropsOf<Module[Name]>> {
  let Loaded: ComponentType<Opens> | undefined;
  const fetched = async () => {
    Loaded = (await load())[name] as ComponentType<Opens>;
  };
  // A failed preload is ignored: the click loads the file again and reports a failure.
  const preload = () => {
    fetched().catch(() => {});
  };

  function Dialog(props: Opens) {
    const { opened = true, onClose } = props;
    const [mounted, setMounted] = useState(false);
    const [entered, setEntered] = useState(false);
    const fail = useEffectEvent(() => {
      toastFailure(t.failures.notLoadedHint);
      onClose();
    });
    const crash = () => {
      toastFailure(t.failures.unexpected);
      // A dialog without `opened` is unmounted by its parent: loading it again before that would repeat the crash.
      if (props.opened !== undefined) setMounted(false);
      onClose();
    };
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
    return (
      <Contained onCrash={crash}>
        <Loaded {...props} {...(props.opened !== undefined && { opened: opened && entered })} />
      </Contained>
    );
  }
  const intent = { onPointerEnter: preload, onFocus: preload };
  return Object.assign(Dialog, { preload, intent }) as LazyDialog<PropsOf<Module[Name]>>;
}

/** Loads an optional component from a separate file. Shows nothing when the file does not load or the component throws. */
export function lazyOptional<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Props = PropsOf<Module[Name]> & object;
  const Part = lazy<ComponentType<Props>>(() =>
    load().then(
      (module) => ({ default: module[name] as ComponentType<Props> }),
      () => ({ default: () => null }),
    ),
  );
  return (props: Props) => (
    <Contained>
      <Part {...props} />
    </Contained>
  );
}

/** An error boundary, so that the page around it, with its open form, stays. After an error it renders `crashed`, or nothing. */
export class Contained extends Component<{
  onCrash?: () => void;
  crashed?: (reset: () => void) => ReactNode;
  children: ReactNode;
}> {
  override state = { crashed: false };
  static getDerivedStateFromError() {
    return { crashed: true };
  }
  override componentDidCatch() {
    this.props.onCrash?.();
  }
  override render() {
    if (!this.state.crashed) return this.props.children;
    return this.props.crashed?.(() => this.setState({ crashed: false })) ?? null;
  }
}
