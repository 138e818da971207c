import { Button, Group, Stack } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type { Control, DefaultValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { toastFailure } from '../ui/toast.ts';
import { type FormSchema, refill } from './contract-form.ts';
import { Dialog, type OnClose, useExit } from './dialog.tsx';
import classes from './form-dialog.module.css';
import { mayDiscard } from './unsaved.ts';
import { messageOf } from './use-attempt.ts';
import { useContractForm } from './use-contract-form.ts';
import { useSave } from './use-save.tsx';

/** The time in milliseconds after which the dialog offers to abort a save. Without the delay, the button would flicker. */
const SLOW_MS = 1000;

/** Functions that delete what fields of a dialog have created, such as a policy from a select. */
type Undos = RefObject<(() => Promise<unknown>)[]>;
/**
 * Holds the undo functions of the dialog. They run when it closes without a save: by its button, by Back or by a link. A closed
 * tab keeps the entities.
 */
export const CreatedInside = createContext<Undos | null>(null);

/**
 * A dialog with a form. A failed save keeps the dialog open and the input in it. An unchanged form cannot be saved.
 * Closing a changed form asks first. A second click during a save does nothing. The dialog is mounted only while it
 * is open.
 */
export function FormDialog<S extends FormSchema>(props: {
  title: string;
  schema: S;
  initial: DefaultValues<z.input<S>>;
  /**
   * Saves the values. The dialog closes when the promise resolves. If the value is false, nothing was saved, and the dialog stays
   * open; if it is 'stay', the caller replaces the dialog. A rejection is shown as an error. The signal aborts the call when the
   * user leaves the dialog during the save.
   */
  submit: (values: z.output<S>, signal: AbortSignal) => Promise<unknown>;
  /** Reads the entity's current values after a version conflict. */
  reload?: () => Promise<DefaultValues<z.input<S>>>;
  /** The submit button's label, when it is not the default one. */
  submitLabel?: string | undefined;
  /** The label of the button that closes the dialog, when it is not the default one. */
  cancelLabel?: string;
  /** The form asks only for a confirmation, so it can be sent unchanged. */
  question?: boolean;
  /** The change is destructive: the button is red. */
  danger?: boolean;
  /** Another dialog is open above this one and handles the keyboard. */
  covered?: boolean;
  /** Called when the form becomes changed or unchanged. */
  onDirty?: (isDirty: boolean) => void;
  onClose: OnClose;
  children: (control: Control<z.input<S>, unknown, z.output<S>>) => ReactNode;
}) {
  const form = useContractForm(props.schema, props.initial);
  const { isDirty, isValid } = form.formState;
  const { isSaving, isReloading, run, notice } = useSave(form, props.reload);
  const exit = useExit(props.onClose);
  const undos: Undos = useRef([]);
  useEffect(
    () => () => {
      for (const undo of undos.current) undo().catch((error) => toastFailure(messageOf(error)));
    },
    [],
  );
  const tellDirty = useEffectEvent((changed: boolean) => props.onDirty?.(changed));
  useEffect(() => tellDirty(isDirty), [isDirty]);
  // Initial values may change while the dialog is open, for example when a list with the default option has loaded.
  const initial = JSON.stringify(props.initial);
  const initialised = useRef(initial);
  const fill = useEffectEvent(() => refill(form, props.initial));
  useEffect(() => {
    if (initialised.current === initial) return;
    initialised.current = initial;
    fill();
  }, [initial]);

  const stop = useRef<AbortController>(undefined);
  const [slow, setSlow] = useState(false);
  const save = (values: z.output<S>) =>
    run(async () => {
      const { signal } = (stop.current = new AbortController());
      const timer = window.setTimeout(() => setSlow(true), SLOW_MS);
      try {
        const saved = await props.submit(values, signal);
        if (saved === false) return;
        undos.current = [];
        if (saved === 'stay') return;
      } catch (error) {
        if (!signal.aborted) throw error;
        toastFailure(t.input.aborted);
        return exit.leave();
      } finally {
        window.clearTimeout(timer);
        setSlow(false);
      }
      // Marks the form as unchanged, so that no question about unsaved input appears while the dialog fades out.
      form.reset(form.getValues());
      exit.leave(true);
    });

  async function close() {
    if (isSaving || isReloading || exit.isLeaving) return;
    if (!isDirty || (await mayDiscard())) exit.leave();
  }

  return (
    <Dialog
      exit={exit}
      covered={props.covered === true}
      title={props.title}
      onClose={close}
      closeOnClickOutside={!isSaving}
    >
      <form onSubmit={(event) => form.handleSubmit(save)(event)} noValidate>
        <Stack gap="md">
          {notice}
          <CreatedInside value={undos}>{props.children(form.control)}</CreatedInside>
        </Stack>
        <Group justify="flex-end" gap="xs" className={classes.footer}>
          <Button
            variant="default"
            onClick={slow ? () => stop.current?.abort() : close}
            disabled={isSaving && !slow}
          >
            {slow ? t.input.abort : (props.cancelLabel ?? t.common.cancel)}
          </Button>
          <Button
            type="submit"
            disabled={!isValid || !(isDirty || props.question) || exit.isLeaving}
            loading={isSaving}
            {...(props.danger && { color: 'red.9' })}
          >
            {props.submitLabel ?? t.common.save}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
