import { Button, Group, Modal, Stack } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Control, DefaultValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { ApiError } from '../api/api-error.ts';
import { confirm, useQuestion } from '../ui/confirm.ts';
import { Notice } from '../ui/notice.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import { type FormSchema, refill, showFailure } from './contract-form.ts';
import classes from './form-dialog.module.css';
import { useSignInAgain } from './sign-in-again.ts';
import { useContractForm } from './use-contract-form.ts';

interface Failure {
  text: string;
  /** Another user saved this entity after the form was opened. */
  stale: boolean;
}

/**
 * A dialog with a form. It owns the pending state, the server's errors and closing. A failed save keeps the dialog
 * and the input. An unchanged form cannot be saved. Closing a changed form asks first. A second click while saving
 * does nothing. Mounted while it is open.
 */
export function FormDialog<S extends FormSchema>(props: {
  title: string;
  schema: S;
  initial: DefaultValues<z.input<S>>;
  /** Saves. The dialog closes when the promise resolves and shows the error when it rejects. */
  submit: (values: z.output<S>) => Promise<unknown>;
  /** Reads the entity's current values after a version conflict. */
  reload?: () => Promise<DefaultValues<z.input<S>>>;
  /** The submit button's label, when it is not the default one. */
  submitLabel?: string;
  /** The change is destructive: the button is red. */
  danger?: boolean;
  /** Another dialog is open above this one and handles the keyboard. */
  covered?: boolean;
  /** False where `submit` shows another dialog in this one's place. */
  closesItself?: boolean;
  onClose: () => void;
  children: (control: Control<z.input<S>, unknown, z.output<S>>) => ReactNode;
}) {
  const form = useContractForm(props.schema, props.initial);
  const { isDirty, isValid, isSubmitting } = form.formState;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [reloading, setReloading] = useState(false);
  const [reloaded, setReloaded] = useState(false);
  // A ref, since both clicks of a double click see the same render's state.
  const saving = useRef(false);
  const ended = useSignInAgain();
  const asking = useQuestion() !== null || ended || props.covered === true;
  useReturnFocus(true);
  // Initial values may arrive after the dialog: a default that a list was loaded for.
  const initial = JSON.stringify(props.initial);
  const initialised = useRef(initial);
  const fill = useEffectEvent(() => refill(form, props.initial));
  useEffect(() => {
    if (initialised.current === initial) return;
    initialised.current = initial;
    fill();
  }, [initial]);

  async function save(values: z.output<S>) {
    if (saving.current) return;
    saving.current = true;
    setFailure(null);
    try {
      await props.submit(values);
      if (props.closesItself !== false) props.onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'changed_meanwhile';
      setFailure({ text: showFailure(form, error), stale });
    } finally {
      saving.current = false;
    }
  }

  async function reload() {
    if (props.reload === undefined || saving.current) return;
    saving.current = true;
    setReloading(true);
    try {
      refill(form, await props.reload());
      setFailure(null);
      setReloaded(true);
    } catch (error) {
      setFailure({ text: showFailure(form, error), stale: true });
    } finally {
      saving.current = false;
      setReloading(false);
    }
  }

  async function close() {
    if (saving.current || asking) return;
    if (isDirty) {
      const sure = await confirm({ text: t.input.discard, yes: t.common.yes, no: t.common.no, danger: true });
      if (!sure) return;
    }
    props.onClose();
  }

  return (
    <Modal
      opened
      onClose={close}
      title={props.title}
      size={520}
      closeOnEscape={!asking}
      trapFocus={!asking}
      returnFocus={false}
      closeOnClickOutside={!isSubmitting}
    >
      <form onSubmit={(event) => form.handleSubmit(save)(event)} noValidate>
        <Stack gap="md">
          {failure && (
            <Notice kind="error">
              {failure.text}
              {failure.stale && props.reload && (
                <Button
                  display="block"
                  size="compact-sm"
                  variant="default"
                  mt="xs"
                  loading={reloading}
                  onClick={reload}
                >
                  {t.input.reload}
                </Button>
              )}
            </Notice>
          )}
          {reloaded && !failure && <Notice kind="warning">{t.input.reloaded}</Notice>}
          {props.children(form.control)}
        </Stack>
        <Group justify="flex-end" gap="xs" className={classes.footer}>
          <Button variant="default" onClick={close} disabled={isSubmitting}>
            {t.common.cancel}
          </Button>
          <Button
            type="submit"
            disabled={!isValid || !isDirty}
            loading={isSubmitting}
            {...(props.danger && { color: 'red.9' })}
          >
            {props.submitLabel ?? t.common.save}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
