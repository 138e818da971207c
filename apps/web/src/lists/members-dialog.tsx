import { Text } from '@mantine/core';
import { changeMembers, type MembersPreview, previewMembers } from '@propusk/contract/bulk';
import { Id } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { queryOptions, useCall } from '../api/queries.ts';
import { usePolicyOptions } from '../entities/use-options.ts';
import type { OnClose } from '../forms/dialog.tsx';
import { FormDialog } from '../forms/form-dialog.tsx';
import { SelectField } from '../forms/select-fields.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { toastSuccess } from '../ui/toast.ts';
import { refusedBy } from './refused-rows.tsx';
import { sayLoss } from './tell-loss.ts';

const Schema = z.object({ policy: Id });
type Input = z.input<typeof Schema>;

/** Adds sites or users to a policy, or removes them. Shows who gets or loses access before the change. */
export function MembersDialog(props: {
  of: 'site' | 'user';
  ids: readonly number[];
  change: 'add' | 'remove';
  /** Reports the rows that prevent the change. */
  onRefused: (error: unknown) => Promise<void>;
  onClose: OnClose;
}) {
  const { of, change, ids } = props;
  const members = useCall(changeMembers);
  const options = usePolicyOptions([]);
  const body = { [`${change}${of === 'site' ? 'Sites' : 'Users'}`]: [...ids] };
  return (
    <FormDialog
      title={t.bulk.title[change][of](ids.length)}
      schema={Schema}
      initial={{}}
      submit={async ({ policy }, signal) => {
        try {
          const { name } = await members.mutateAsync({ params: { id: policy }, body, signal });
          toastSuccess(t.bulk.done[change], name);
        } catch (error) {
          if (refusedBy(error, ids).length === 0) throw error;
          await props.onRefused(error);
          return false;
        }
      }}
      submitLabel={t.bulk.submit[change][of]}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <SelectField
            control={control}
            name="policy"
            label={t.bulk.policy}
            placeholder={t.form.choose.policy}
            options={options}
            opened
          />
          <Effect control={control} body={body} />
        </>
      )}
    </FormDialog>
  );
}

/** Shows who would get or lose access. */
function Effect({ control, body }: { control: Control<Input, unknown, Input>; body: object }) {
  const id: number | undefined = useWatch({ control, name: 'policy' });
  const query = useQuery({
    ...queryOptions(previewMembers, { params: { id: id ?? 0 }, body }),
    enabled: typeof id === 'number',
    gcTime: 0,
  });
  if (typeof id !== 'number') return <Text>&nbsp;</Text>;
  return (
    <Loaded query={query} height={21}>
      {(preview) => (
        <Text component="output" fw={500}>
          {sayEffect(preview)}
        </Text>
      )}
    </Loaded>
  );
}

function sayEffect({ lost, gained }: MembersPreview): string {
  const parts = [
    ...(gained.allSites > 0 ? [t.bulk.gainedAll(gained.allSites)] : []),
    ...(gained.sites > 0 ? [t.bulk.gained(gained.sites, gained.users)] : []),
    ...(lost.sites + lost.allSites > 0 ? [sayLoss(lost)] : []),
  ];
  return parts.length === 0 ? t.bulk.same : parts.join(' ');
}
