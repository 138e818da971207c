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
 * then neither animate it nor note which element had the focus. A crash inside it closes it, and leaves the page alone.
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
      setMounted(false);
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

/** A part that the page can do without, in a file of its own: nothing is shown when it does not load or crashes. */
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

/** Keeps a crash of a part from the page around it, where a form may be open. */
class Contained extends Component<{ onCrash?: () => void; children: ReactNode }> {
  override state = { crashed: false };
  static getDerivedStateFromError() {
    return { crashed: true };
  }
  override componentDidCatch() {
    this.props.onCrash?.();
  }
  override render() {
    return this.state.crashed ? null : this.props.children;
  }
}
