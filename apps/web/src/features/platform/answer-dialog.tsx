import { Text } from '@mantine/core';
import { answerRequest, type TariffRequest } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { TextAreaField } from '../../common/text-area-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

export interface AnswerProps {
  state: 'answered' | 'refused';
  request: TariffRequest;
  onClose: () => void;
}

/** Answers a request, or refuses it with a reason. */
export function AnswerDialog({ state, request, onClose }: AnswerProps) {
  const { mutateAsync } = useCall(answerRequest);
  const refuses = state === 'refused';
  return (
    <FormDialog
      title={(refuses ? t.requests.refuseTitle : t.requests.answerTitle)(request.company.name)}
      schema={answerRequest.body}
      initial={{ state, reply: '' }}
      question={!refuses}
      danger={refuses}
      submit={async (body, signal) => {
        await mutateAsync({ params: { id: request.id }, body, signal });
        toastSuccess(t.requests.closed, request.company.name);
      }}
      submitLabel={refuses ? t.requests.refuse : t.requests.answer}
      onClose={onClose}
    >
      {(control) => (
        <>
          {request.text && <Text style={{ whiteSpace: 'pre-line' }}>{request.text}</Text>}
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
