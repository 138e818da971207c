import { getCompany, listCompanies } from '@propusk/contract/companies';
import { listPlans } from '@propusk/contract/plans';
import { createPaidProxy, PaidProxyInput } from '@propusk/contract/proxies';
import { companyTariff, setTariff, type Tariff, TariffInput } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { queryOptions, useCall } from '../../../api/queries.ts';
import { LastDayField } from '../../../entities/plan/last-day-field.tsx';
import { ProxyFields } from '../../../entities/proxy/proxy-fields.tsx';
import { namedOptions } from '../../../entities/use-options.ts';
import { CheckboxField } from '../../../forms/checkbox-field.tsx';
import type { OnClose } from '../../../forms/dialog.tsx';
import { EditDialog } from '../../../forms/edit-dialog.tsx';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { SelectField } from '../../../forms/select-fields.tsx';
import { useEntity } from '../../../forms/use-entity.ts';
import { toastSuccess } from '../../../ui/toast.ts';

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
      // Omits an unchanged end of the trial, so that the trial stays as it is. Sending a past end would end it again.
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
