import { getCompany, listCompanies } from '@propusk/contract/companies';
import { listPlans } from '@propusk/contract/plans';
import { createPaidProxy, PaidProxyInput } from '@propusk/contract/proxies';
import { companyTariff, setTariff, type Tariff, TariffInput } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { queryOptions, useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { DayInput } from '../../common/day-input.tsx';
import type { OnClose } from '../../common/dialog.tsx';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { useField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { ProxyFields } from '../../common/proxy-fields.tsx';
import { SelectField } from '../../common/select-fields.tsx';
import { useEntity } from '../../common/use-entity.ts';
import { namedOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Sets a company's plan and its end, and begins or extends its trial. */
export function TariffDialog({ onClose }: { onClose: OnClose }) {
  const params = { id: Number(useParams({ strict: false }).id) };
  const company = useEntity(getCompany, listCompanies).data;
  const { data } = useQuery({ ...queryOptions(listPlans, {}), meta: { toast: true } });
  return (
    <EditDialog
      title={t.companyPage.edit}
      query={useQuery(queryOptions(companyTariff, { params }))}
      values={({ ownPlan, planEndsAt, trialEndsAt }: Tariff) => ({
        planId: ownPlan.id,
        planEndsAt: planEndsAt ?? undefined,
        trialEndsAt: trialEndsAt ?? undefined,
      })}
      schema={TariffInput}
      // An absent end leaves the trial as it is; a past one would end it anew.
      normalise={(body, { trialEndsAt }) =>
        body.trialEndsAt === trialEndsAt ? { ...body, trialEndsAt: undefined } : body
      }
      update={setTariff}
      replaces
      name={() => company?.companyName ?? ''}
      onClose={onClose}
    >
      {(control, { ownPlan }) => (
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
    </EditDialog>
  );
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
export function PaidProxyDialog({ onClose }: { onClose: OnClose }) {
  const companyId = Number(useParams({ strict: false }).id);
  const create = useCall(createPaidProxy);
  return (
    <FormDialog
      title={t.companyPage.paidTitle}
      schema={PaidProxyInput}
      initial={{ companyId, host: '', port: '', username: '', password: '', allSites: false }}
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
