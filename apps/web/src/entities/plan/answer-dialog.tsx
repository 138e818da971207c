import { Text } from '@mantine/core';
import { listPlans } from '@propusk/contract/plans';
import { answerRequest, type TariffRequest } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { queryOptions, useCall } from '../../api/queries.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { SelectField } from '../../forms/select-fields.tsx';
import { TextAreaField } from '../../forms/text-area-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { namedOptions } from '../use-options.ts';
import { LastDayField } from './last-day-field.tsx';

/** The fields of the form. A removed plan is null, because the form would show the initial value of an undefined field. */
const AnswerForm = z.extend(answerRequest.body, { planId: z.nullish(z.number()) });

export interface AnswerProps {
  state: 'answered' | 'refused';
  request: TariffRequest;
  onClose: () => void;
}

/** Answers a tariff request, and can set a plan or a trial; or refuses the request with a reason. */
export function AnswerDialog({ state, request, onClose }: AnswerProps) {
  const { mutateAsync } = useCall(answerRequest);
  const { kind, plan } = request;
  const refuses = state === 'refused';
  const givesPlan = kind === 'plan' && !refuses;
  const { data } = useQuery({ ...queryOptions(listPlans, {}), enabled: givesPlan, meta: { toast: true } });
  return (
    <FormDialog
      title={(refuses ? t.requests.refuseTitle : t.requests.answerTitle)(request.company.name)}
      schema={AnswerForm}
      initial={{ state, reply: '', ...(givesPlan && { planId: plan?.id }) }}
      question={!refuses}
      danger={refuses}
      submit={async ({ planId, ...fields }, signal) => {
        const body = { ...fields, planId: planId ?? undefined };
        await mutateAsync({ params: { id: request.id }, body, signal });
        toastSuccess(t.requests.closed, request.company.name);
      }}
      submitLabel={refuses ? t.requests.refuse : t.requests.answer}
      onClose={onClose}
    >
      {(control) => (
        <>
          {request.text && <Text style={{ whiteSpace: 'pre-line' }}>{request.text}</Text>}
          {givesPlan && (
            <SelectField
              control={control}
              name="planId"
              label={t.requests.plan}
              options={namedOptions(data?.rows ?? (plan ? [plan] : []))}
              placeholder={t.requests.planKept}
              clearable
            />
          )}
          {!refuses && kind !== 'paid_proxy' && <LastDayField control={control} of={kind} />}
          <TextAreaField
            control={control}
            name="reply"
            label={refuses ? t.requests.refuseText : t.requests.answerText}
            description={t.requests.mailed}
            required={refuses}
            rows={4}
            autoFocus
          />
        </>
      )}
    </FormDialog>
  );
}
