import type { Company } from '@propusk/contract/companies';
import { listPlans } from '@propusk/contract/plans';
import { createPaidProxy, PaidProxyInput } from '@propusk/contract/proxies';
import { companyTariff, setTariff, type Tariff, TariffInput } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { call } from '../../api/call.ts';
import { queryOptions, useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { DayInput } from '../../common/day-input.tsx';
import { useField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { ProxyFields } from '../../common/proxy-fields.tsx';
import { SelectField } from '../../common/select-fields.tsx';
import { namedOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';

type Props<More> = { company: Company; onClose: () => void } & More;

/** Sets a company's plan and its end, and begins or extends its trial. */
export function TariffDialog({ company, onClose, ...props }: Props<{ tariff: Tariff }>) {
  const [tariff, setStored] = useState(props.tariff);
  const { mutateAsync } = useCall(setTariff);
  const { data } = useQuery({ ...queryOptions(listPlans, {}), meta: { toast: true } });
  const { ownPlan, trialEndsAt, version } = tariff;
  const params = { id: company.id };
  return (
    <FormDialog
      title={t.companyPage.edit}
      schema={TariffInput}
      initial={inputOf(tariff)}
      submit={async (body, signal) => {
        // An absent end leaves the trial as it is; a past one would end it anew.
        const trial = body.trialEndsAt === trialEndsAt ? undefined : body.trialEndsAt;
        await mutateAsync({ params, body: { ...body, trialEndsAt: trial }, version, signal });
        toastSuccess(t.alerts.updated, company.companyName);
      }}
      reload={async () => {
        const fresh = await call(companyTariff, { params });
        setStored(fresh);
        return inputOf(fresh);
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <SelectField
            control={control}
            name="planId"
            label={t.companyPage.plan}
            options={namedOptions(data?.rows ?? [ownPlan])}
            placeholder={t.plans.name}
          />
          <LastDayField control={control} of="plan" />
          <LastDayField control={control} of="trial" />
        </>
      )}
    </FormDialog>
  );
}

function inputOf({ ownPlan, planEndsAt, trialEndsAt }: Tariff) {
  return {
    planId: ownPlan.id,
    planEndsAt: planEndsAt ?? undefined,
    trialEndsAt: trialEndsAt ?? undefined,
  };
}

/**
 * A field for the last day of a plan or a trial, in the browser's time zone. Its value is the end of that day, or a text that the
 * schema refuses.
 */
export function LastDayField<V extends FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  of: 'plan' | 'trial';
}) {
  const { control, of } = props;
  const { value, onChange } = useField({ control, name: `${of}EndsAt` as FieldPath<V> });
  return (
    <DayInput
      label={t.companyPage[`${of}Ends`]}
      description={t.companyPage[`${of}EndsHint`]}
      value={typeof value === 'string' ? localDay(value) : ''}
      onOther={onChange}
      onDay={(day) => onChange(day === '' ? undefined : new Date(`${day}T23:59:59`).toISOString())}
    />
  );
}

/** Formats a time as yyyy-mm-dd (the sv-SE locale) in the browser's time zone. Leaves a text that is no ISO time as it is. */
const localDay = (iso: string) => (iso.includes('T') ? new Date(iso).toLocaleDateString('sv') : iso);

/** Adds a paid proxy for a company. */
export function PaidProxyDialog({ company, onClose }: Props<object>) {
  const create = useCall(createPaidProxy);
  return (
    <FormDialog
      title={t.companyPage.paidTitle}
      schema={PaidProxyInput}
      initial={{ companyId: company.id, host: '', port: '', username: '', password: '', allSites: false }}
      submit={async (body, signal) => {
        const { host, port } = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, `${host}:${port}`);
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <ProxyFields control={control} />
          <CheckboxField
            control={control}
            name="allSites"
            label={t.proxies.allSites}
            description={t.proxies.allSitesHint}
          />
        </>
      )}
    </FormDialog>
  );
}
