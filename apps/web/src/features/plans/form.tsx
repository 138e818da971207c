import { Group, Input } from '@mantine/core';
import {
  createPlan,
  listPlans,
  type Plan,
  PlanInput,
  planCompanies,
  updatePlan,
} from '@propusk/contract/plans';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Control } from 'react-hook-form';
import type * as z from 'zod/mini';
import { call, type Reply } from '../../api/call.ts';
import { queryOptions, useCall } from '../../api/queries.ts';
import classes from '../../entities/company/platform.module.css';
import { limited } from '../../entities/plan/plan-text.ts';
import { CheckboxField } from '../../forms/checkbox-field.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { NumberField } from '../../forms/number-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { PriceField } from './price-field.tsx';

type PlanControl = Control<z.input<typeof PlanInput>, unknown, PlanInput>;

/** Creates a plan. */
export function CreatePlanDialog({ onClose }: { onClose: OnClose }) {
  const create = useCall(createPlan);
  return (
    <FormDialog
      title={t.plans.create}
      schema={PlanInput}
      initial={{ name: '', paidProxies: false, allSites: false, offered: true, trial: false }}
      submit={async (body, signal) => {
        const { name } = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, name);
      }}
      onClose={onClose}
    >
      {(control) => <PlanFields control={control} />}
    </FormDialog>
  );
}

/** Edits a plan. If companies have the plan, the first click on "Save" only lists them, with what exceeds the new limits. */
export function EditPlanDialog({ onClose }: { onClose: OnClose }) {
  const id = Number(useParams({ strict: false }).id);
  const [shown, setShown] = useState<{ for: string; rows: Concerned } | null>(null);
  async function isConfirmed(body: PlanInput): Promise<boolean> {
    const asked = JSON.stringify(body);
    if (shown?.for === asked) return true;
    const { rows } = await call(planCompanies, { params: { id }, body });
    if (rows.length === 0) return true;
    setShown({ for: asked, rows });
    return false;
  }
  return (
    <EditDialog
      title={t.plans.edit}
      // The api has no call that reads one plan: the list is short and has all plans.
      query={useQuery({ ...queryOptions(listPlans, {}), select: ({ rows }) => planOf(rows, id) })}
      values={planValues}
      schema={PlanInput}
      update={updatePlan}
      replaces
      mayProceed={isConfirmed}
      submitLabel={shown ? t.plans.saveFor(shown.rows.length) : undefined}
      name={({ name }) => name}
      onClose={onClose}
    >
      {(control) => (
        <>
          <PlanFields control={control} />
          {shown && <Concerns rows={shown.rows} />}
        </>
      )}
    </EditDialog>
  );
}

/** @throws Error if no plan has the id */
function planOf(plans: readonly Plan[], id: number): Plan {
  const plan = plans.find((one) => one.id === id);
  if (plan === undefined) throw new Error(t.failures.gone);
  return plan;
}

type Concerned = Reply<typeof planCompanies>['rows'];

function Concerns({ rows }: { rows: Concerned }) {
  return (
    <Notice kind="warning">
      {t.plans.concerns(rows.length)}
      <ul className={classes.concerned}>
        {rows.map(({ id, name, beyond }) => (
          <li key={id}>
            <strong>{name}</strong>:{' '}
            {beyond.length === 0
              ? t.plans.fits
              : t.plans.exceeds(beyond.map((kind) => t.plan.names[kind]).join(', '))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** A plan as form values: the keys of the call's input, with undefined instead of null. */
function planValues({ name, price, people, sites, proxies, ...plan }: Plan) {
  const { paidProxies, allSites, offered, trial } = plan;
  return {
    name,
    price: price ?? undefined,
    people: people ?? undefined,
    sites: sites ?? undefined,
    proxies: proxies ?? undefined,
    ...{ paidProxies, allSites, offered, trial },
  };
}

function PlanFields({ control }: { control: PlanControl }) {
  return (
    <>
      <TextField control={control} name="name" label={t.plans.name} required autoFocus />
      <PriceField control={control} />
      <Input.Wrapper label={t.plans.limits} description={t.plans.limitHint} labelElement="div">
        <Group grow gap="sm" align="flex-start" mt={8}>
          {limited.map((kind) => (
            <NumberField
              key={kind}
              control={control}
              name={kind}
              label={t.plan.names[kind]}
              placeholder="∞"
            />
          ))}
        </Group>
      </Input.Wrapper>
      <CheckboxField control={control} name="paidProxies" label={t.plans.paidProxies} />
      <CheckboxField control={control} name="allSites" label={t.plans.allSites} />
      <CheckboxField
        control={control}
        name="offered"
        label={t.plans.offered}
        description={t.plans.offeredHint}
      />
      <CheckboxField
        control={control}
        name="trial"
        label={t.plans.trialFlag}
        description={t.plans.trialHint}
      />
    </>
  );
}
