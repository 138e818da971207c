import { Text } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import { createRequest, myTariff, RequestInput, type RequestKind } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions, useCall } from '../../api/queries.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { TextAreaField } from '../../forms/text-area-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { ContactLines } from './contact.tsx';

/** Asks the platform's operator for a plan, a paid proxy or the trial, and shows the operator's contact. */
export function RequestDialog(props: { kind: RequestKind; plan?: Named | undefined; onClose: () => void }) {
  const { kind, plan, onClose } = props;
  const { data, isPending } = useQuery(queryOptions(myTariff, {}));
  const isAsked = data?.requests.some((one) => one.kind === kind && one.state === 'open');
  const send = useCall(createRequest);
  return (
    <FormDialog
      title={t.requests.kinds[kind](plan?.name ?? '')}
      schema={RequestInput}
      initial={{ kind, planId: plan?.id, text: '' }}
      question={!isPending && !isAsked}
      submit={async (body, signal) => {
        await send.mutateAsync({ body, signal });
        toastSuccess(t.requests.sent);
      }}
      submitLabel={t.requests.send}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text>{isAsked ? t.requests.asked : t.requests.leads[kind]}</Text>
          {data && <ContactLines contact={data.contact} />}
          {!isPending && !isAsked && (
            <TextAreaField
              control={control}
              name="text"
              label={t.requests.text}
              placeholder={t.requests.textHint}
              rows={4}
              autoFocus
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
