import { Stack } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useEffect, useRef } from 'react';

/** A form whose first field has the focus. */
export function FocusedForm(props: {
  onSubmit: FormEventHandler;
  /** The page has several forms: none of them takes the focus. */
  unfocused?: boolean;
  children: ReactNode;
}) {
  const { unfocused } = props;
  const element = useRef<HTMLFormElement>(null);
  // A ref and not the values: a field that was filled and emptied again is empty, yet the user has typed.
  const typed = useRef(false);
  useEffect(() => {
    if (unfocused) return;
    // Keeps the content above the field, such as a QR code, in view.
    element.current?.querySelector<HTMLInputElement>('input:not([hidden])')?.focus({ preventScroll: true });
  }, [unfocused]);
  return (
    <form
      ref={element}
      onSubmit={props.onSubmit}
      onInputCapture={() => {
        typed.current = true;
      }}
      // The form set the focus itself. An error shown on this blur would move the link under the mouse while it is
      // clicked.
      onBlurCapture={(event) => {
        if (!typed.current) event.stopPropagation();
      }}
      noValidate
    >
      <Stack gap="md">{props.children}</Stack>
    </form>
  );
}
