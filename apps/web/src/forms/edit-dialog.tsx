import { Skeleton } from '@mantine/core';
import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Control, DefaultValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { useCall } from '../api/queries.ts';
import { Failed } from '../ui/state.tsx';
import { toastSuccess } from '../ui/toast.ts';
import { changes } from './changes.ts';
import type { FormSchema } from './contract-form.ts';
import type { OnClose } from './dialog.tsx';
import { FormDialog } from './form-dialog.tsx';

interface Versioned {
  id?: number;
  version: number;
}
type Update<S extends FormSchema> = Endpoint<Access, typeof IdParams | undefined, undefined, S>;

/** The schema of the form until the entity has loaded. */
const nothing = z.object({});

/**
 * A dialog that edits an entity. It sends the changed fields with the version that the form shows. A newer version that arrives
 * before any input replaces the shown one. After a conflict, the dialog offers to load the newer version and keeps the user's
 * input.
 */
export function EditDialog<E extends Versioned, S extends FormSchema>(props: {
  title: string;
  query: UseQueryResult<E>;
  /** The entity as form values. */
  values: (entity: E) => DefaultValues<z.input<S>>;
  /** The form's schema; a function where it depends on the stored entity. */
  schema: S | ((stored: E) => S);
  update: Update<S>;
  /** The name shown in the success toast. */
  name?: (entity: E) => string;
  /** Normalises the values before they are compared with the entity's. */
  normalise?: (body: z.output<S>, stored: E) => z.output<S>;
  /** The call replaces the entity: it needs the unchanged fields too. */
  replaces?: boolean;
  /** Called before a save. False keeps the dialog open without saving. */
  mayProceed?: (body: z.output<S>, stored: E) => Promise<boolean>;
  submitLabel?: string | undefined;
  /** Another dialog is open above this one. */
  covered?: boolean;
  onClose: OnClose;
  /** The fields. `entity` is the stored entity as last read. */
  children: (control: Control<z.input<S>, unknown, z.output<S>>, entity: E) => ReactNode;
}) {
  const { query, values, normalise = (body) => body } = props;
  const { id } = useParams({ strict: false });
  const [entity, setEntity] = useState(query.data);
  const [isDirty, setDirty] = useState(false);
  if (query.data && !isDirty && (entity === undefined || entity.version < query.data.version))
    setEntity(query.data);
  const { mutateAsync } = useCall(props.update as Endpoint);

  async function submit(stored: E, typed: z.output<S>, signal: AbortSignal) {
    const body = normalise(typed, stored);
    const changed = changes(values(stored) as Partial<z.output<S>>, body);
    if (Object.keys(changed).length === 0) return undefined;
    if (props.mayProceed && !(await props.mayProceed(body, stored))) return false;
    const params = props.update.params && { id: stored.id ?? Number(id) };
    // The cast: TypeScript checks the endpoint's types where the dialog is used, since here the entity is generic.
    const input = {
      params,
      body: props.replaces ? body : changed,
      version: stored.version,
      signal,
    } as object;
    const reply = (await mutateAsync(input)) as E;
    return toastSuccess(t.alerts.updated, props.name?.(reply));
  }

  const frame = { title: props.title, covered: props.covered === true, onClose: props.onClose };
  if (entity === undefined) {
    return (
      <FormDialog {...frame} schema={nothing} initial={{}} submit={async () => {}}>
        {() =>
          query.error ? <Failed query={query} title={t.list.failed} /> : <Skeleton h={160} aria-busy />
        }
      </FormDialog>
    );
  }
  return (
    <FormDialog
      {...frame}
      schema={typeof props.schema === 'function' ? props.schema(entity) : props.schema}
      initial={values(entity)}
      submit={(body, signal) => submit(entity, body, signal)}
      reload={async () => {
        const { data } = await query.refetch({ throwOnError: true });
        if (data) setEntity(data);
        return values(data ?? entity);
      }}
      submitLabel={props.submitLabel}
      onDirty={setDirty}
    >
      {(control) => props.children(control, entity)}
    </FormDialog>
  );
}
