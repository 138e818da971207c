import { Modal, type ModalProps } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useState } from 'react';
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

/**
 * A modal dialog. It is mounted closed and then opens, because Mantine animates only a change. On close it returns the focus.
 * While a question or another dialog is open above it, it ignores the keyboard.
 * @param props.exit made by `useExit`
 */
export function Dialog({
  exit,
  covered,
  title,
  onClose,
  ...props
}: Omit<ModalProps, 'opened' | 'title'> & {
  title: string;
  exit: ReturnType<typeof useExit>;
  covered?: boolean;
}) {
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
