import { Modal, type ModalProps } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useQuestion } from '../ui/confirm.ts';
import { langOf } from '../ui/lang-of.ts';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import { useSignInAgain } from './sign-in-again.ts';

/** Removes a dialog. @param saved whether the dialog has saved its form, so that Back must not open it again */
export type OnClose = (saved?: boolean) => void;

/** Lets a dialog play its exit animation: `leave` starts the animation, after which `onClose` is called. */
export function useExit(onClose: OnClose) {
  const [saved, setSaved] = useState<boolean>();
  return {
    isLeaving: saved !== undefined,
    leave: (hasSaved = false) => setSaved(hasSaved),
    done: () => saved !== undefined && onClose(saved),
  };
}

type DialogProps = Omit<ModalProps, 'opened' | 'title'> & {
  title: string;
  exit: ReturnType<typeof useExit>;
  covered?: boolean;
};

/** Passes the props of a dialog to the modal of the `DialogSequence` around it. */
const Sequence = createContext<((props: DialogProps) => void) | null>(null);

/**
 * A modal dialog. It is mounted closed and then opens, because Mantine animates only a change. On close it returns the focus.
 * While a question or another dialog is open above it, it ignores the keyboard. In a `DialogSequence` it uses the modal of the
 * sequence.
 * @param props.exit made by `useExit`
 */
export function Dialog(props: DialogProps) {
  const show = useContext(Sequence);
  // After every render, because the handlers among the props are new in each.
  useLayoutEffect(() => show?.(props));
  // A dialog inside this one has a modal of its own.
  const content = <Sequence value={null}>{props.children}</Sequence>;
  return show === null ? <Frame {...props}>{content}</Frame> : content;
}

function Frame({ exit, covered, title, onClose, ...props }: DialogProps) {
  const isMounted = useMounted();
  useReturnFocus(true);
  const ended = useSignInAgain();
  const asking = useQuestion() !== null || ended || covered === true;
  return (
    <Modal
      size={520}
      closeOnEscape={!asking}
      trapFocus={!asking}
      returnFocus={false}
      {...props}
      opened={isMounted && !exit.isLeaving}
      onClose={() => asking || onClose()}
      onExitTransitionEnd={exit.done}
      title={<span lang={langOf(title)}>{title}</span>}
    />
  );
}

const opening = { title: '', exit: { isLeaving: false, leave: () => {}, done: () => {} }, onClose: () => {} };

/**
 * Shows one dialog after another in the same modal, such as a form and the result of its save. When a dialog replaces the focused
 * one, the modal gets the focus, so that a screen reader reads its new title.
 */
export function DialogSequence({ children }: { children: ReactNode }) {
  const [shown, show] = useState<DialogProps>(opening);
  const body = useRef<HTMLDivElement>(null);
  const { title } = shown;
  useEffect(() => {
    if (title !== '' && document.activeElement === document.body)
      body.current?.closest<HTMLElement>('[role="dialog"]')?.focus();
  }, [title]);
  return (
    <Frame {...shown}>
      <div ref={body}>
        <Sequence value={show}>{children}</Sequence>
      </div>
    </Frame>
  );
}
