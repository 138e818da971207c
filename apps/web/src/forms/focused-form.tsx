import { Stack } from '@mantine/core';
import { type FormEventHandler, type ReactNode, useEffect, useRef } from 'react';

/** A form that focuses its first field when it is mounted. */
export function FocusedForm(props: {
  onSubmit: FormEventHandler;
  /** Leaves the focus alone, on a page with several forms. */
  unfocused?: boolean;
  children: ReactNode;
}) {
  const { unfocused } = props;
  const element = useRef<HTMLFormElement>(null);
  // Whether the user has typed. The values do not tell: a field that was filled and emptied again is empty.
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
      // Before any typing a blur shows no error: the error would move the link that the user is clicking.
      onBlurCapture={(event) => {
        if (!typed.current) event.stopPropagation();
      }}
      noValidate
    >
      <Stack gap="md">{props.children}</Stack>
    </form>
  );
}
