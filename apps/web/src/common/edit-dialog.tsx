import type { Access, Endpoint, Output } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { type ReactNode, useState } from 'react';
import type { Control, DefaultValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import { call } from '../api/call.ts';
import { useCall } from '../api/queries.ts';
import { toastSuccess } from '../ui/toast.ts';
import { changes } from './changes.ts';
import type { FormSchema } from './contract-form.ts';
import { FormDialog } from './form-dialog.tsx';

interface Versioned {
  id: number;
  version: number;
}
type Read<E> = Endpoint<Access, typeof IdParams, undefined, undefined, z.ZodMiniType<E>>;
type Update<E, S extends FormSchema> = Endpoint<Access, typeof IdParams, undefined, S, z.ZodMiniType<E>>;

/**
 * A dialog that edits one entity. It sends the changed fields with the version that the form was opened on. When the
 * server has a newer version, the dialog offers to load that version and keeps the user's input.
 */
export function EditDialog<E extends Versioned, S extends FormSchema>(props: {
  title: string;
  entity: E;
  /** The entity as form values. */
  values: (entity: E) => DefaultValues<z.input<S>>;
  /** The form's schema; a function where it depends on the stored entity. */
  schema: S | ((stored: E) => S);
  /** The call that reads the entity, or a function where the contract has none. */
  read: Read<E> | (() => Promise<E>);
  update: Update<E, S>;
  /** The name shown in the success toast. */
  name: (entity: E) => string;
  /** Normalises the values before they are compared with the entity's. */
  prepare?: (body: z.output<S>, stored: E) => z.output<S>;
  /** The call replaces the entity: it needs the unchanged fields too. */
  whole?: boolean;
  /** Called before a save. False keeps the dialog open without saving. */
  before?: (body: z.output<S>) => Promise<boolean>;
  submitLabel?: string | undefined;
  /** Another dialog is open above this one. */
  covered?: boolean;
  onClose: () => void;
  /** The fields. `entity` is the stored entity as last read. */
  children: (control: Control<z.input<S>, unknown, z.output<S>>, entity: E) => ReactNode;
}) {
  const { values, prepare = (body) => body } = props;
  const [entity, setEntity] = useState(props.entity);
  const schema = typeof props.schema === 'function' ? props.schema(entity) : props.schema;
  const { mutateAsync } = useCall(props.update as Endpoint);
  const params = { id: entity.id };

  async function submit(body: z.output<S>, signal: AbortSignal) {
    const whole = prepare(body, entity);
    const changed = changes(values(entity) as Partial<z.output<S>>, whole);
    if (Object.keys(changed).length === 0) return undefined;
    if (props.before && !(await props.before(whole))) return false;
    const input = { params, body: props.whole ? whole : changed, version: entity.version, signal };
    // The cast: TypeScript checks the endpoint's types where the dialog is used, since here the entity is generic.
    const reply = (await mutateAsync(input)) as E;
    return toastSuccess(t.alerts.updated, props.name(reply));
  }

  async function reload(): Promise<DefaultValues<z.input<S>>> {
    const fresh =
      typeof props.read === 'function'
        ? await props.read()
        : ((await call(props.read as Endpoint, { params })) as Output<Read<E>['reply']>);
    setEntity(fresh);
    return values(fresh);
  }

  return (
    <FormDialog
      title={props.title}
      schema={schema}
      initial={values(entity)}
      submit={submit}
      reload={reload}
      submitLabel={props.submitLabel}
      covered={props.covered === true}
      onClose={props.onClose}
    >
      {(control) => props.children(control, entity)}
    </FormDialog>
  );
}
