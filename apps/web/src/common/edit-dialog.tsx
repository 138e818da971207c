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
 * A dialog that changes one entity. It sends what was changed and nothing else, for the version that the form was opened
 * on; when somebody changed the entity meanwhile it offers to load that, and keeps what was typed.
 */
export function EditDialog<E extends Versioned, S extends FormSchema>(props: {
  title: string;
  entity: E;
  /** The entity as the form holds it. */
  values: (entity: E) => DefaultValues<z.input<S>>;
  schema: S;
  read: Read<E>;
  update: Update<E, S>;
  /** What the success alert shows of it. */
  name: (entity: E) => string;
  /** Mends the values before they are compared with the entity's. */
  prepare?: (body: z.output<S>) => z.output<S>;
  onClose: () => void;
  /** The fields; `entity` is what is stored, as far as the dialog knows. */
  children: (control: Control<z.input<S>, unknown, z.output<S>>, entity: E) => ReactNode;
}) {
  const { schema, values, prepare = (body) => body } = props;
  const [entity, setEntity] = useState(props.entity);
  const { mutateAsync } = useCall(props.update as Endpoint);
  const params = { id: entity.id };

  async function submit(body: z.output<S>) {
    const changed = changes(values(entity) as Partial<z.output<S>>, prepare(body));
    const input = { params, body: changed, version: entity.version };
    // The endpoint's own types are checked where the dialog is declared; here they are any entity's.
    const reply = (await mutateAsync(input)) as E;
    toastSuccess(t.alerts.updated, props.name(reply));
  }

  async function reload(): Promise<DefaultValues<z.input<S>>> {
    const fresh = (await call(props.read as Endpoint, { params })) as Output<Read<E>['reply']>;
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
      onClose={props.onClose}
    >
      {(control) => props.children(control, entity)}
    </FormDialog>
  );
}
