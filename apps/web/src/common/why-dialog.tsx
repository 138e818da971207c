import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { getUser, updateUser } from '@propusk/contract/users';
import { type Explanation, whySite } from '@propusk/contract/why';
import * as t from '@propusk/phrases/console';
import { IconCircleCheck, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import { call } from '../api/call.ts';
import { queryOptions } from '../api/queries.ts';
import { paths } from '../paths.ts';
import { CheckList } from '../ui/check-list.tsx';
import { Outcome } from '../ui/outcome.tsx';
import { Failed } from '../ui/state.tsx';
import { toastFailure, toastSuccess } from '../ui/toast.ts';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import { userName } from './names.ts';
import { SelectField } from './select-fields.tsx';
import { useUserOptions } from './use-options.ts';

interface Asked {
  user?: number | undefined;
}

/**
 * Explains whether a user may reach a site: the server's access decision, and the policy that would give access.
 * @param props.host the address of the site
 * @param props.person the user to begin with
 */
export function WhyDialog(props: {
  siteId: number;
  host: string;
  person?: Named;
  onAssign: () => void;
  onClose: () => void;
}) {
  const { siteId, person, onAssign, onClose } = props;
  const { control } = useForm<Asked>({ defaultValues: { user: person?.id } });
  const user = useWatch({ control, name: 'user' });
  const people = useUserOptions(person ? [person] : []);
  useReturnFocus(true);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.why.title(unicodeHost(props.host))}
      size={560}
      returnFocus={false}
    >
      <Stack gap="md">
        <SelectField
          control={control}
          name="user"
          label={t.why.user}
          description={t.why.userHint}
          placeholder={t.form.choose.person}
          options={people}
        />
        {user !== undefined && <Answer key={user} siteId={siteId} user={user} onAssign={onAssign} />}
      </Stack>
    </Modal>
  );
}

function Answer(props: { siteId: number; user: number; onAssign: () => void }) {
  const { siteId, user, onAssign } = props;
  const query = useQuery(queryOptions(whySite, { params: { id: siteId }, query: { user } }));
  if (query.data) return <Explained explanation={query.data} user={user} onAssign={onAssign} />;
  return query.error ? <Failed query={query} /> : <Skeleton height={160} />;
}

const states = { held: 'passed', missing: 'failed', unchecked: 'waiting' } as const;
const says = { held: t.why.there, missing: t.why.missing, unchecked: t.why.unchecked };

function Explained(props: { explanation: Explanation; user: number; onAssign: () => void }) {
  const { allow, reason, message, advice, policy, proxy, links, mends } = props.explanation;
  return (
    <>
      <Outcome
        tone={allow ? 'good' : 'bad'}
        icon={allow ? <IconCircleCheck size={22} stroke={1.75} /> : <IconLock size={22} stroke={1.75} />}
        title={allow ? t.why.allowed : t.why.refused}
      >
        <Text component="span">{message}</Text>
        {advice && <Text component="span">{advice}</Text>}
        {policy && proxy && (
          <Text component="span" c="dimmed">
            {t.why.via(policy.name, unicodeHost(proxy.name))}
          </Text>
        )}
        {reason && (
          <Text component="span" c="dimmed" size="xs">
            {t.why.code(reason)}
          </Text>
        )}
      </Outcome>
      {links.length > 0 && (
        <CheckList
          label={t.why.links}
          checks={links.map(({ title, state }, index) => ({
            key: `${index} ${title}`,
            title,
            state: states[state],
            says: says[state],
            detail: says[state],
          }))}
        />
      )}
      {!allow && (
        <Group gap="xs" justify="flex-end">
          {mends.length === 0 && (
            <Button variant="default" component={Link} to={paths.creatorUsers}>
              {t.why.toUsers}
            </Button>
          )}
          {mends.length === 0 && <Button onClick={props.onAssign}>{t.why.assign}</Button>}
          {mends.map((mend) => (
            <Join key={mend.id} policy={mend} user={props.user} />
          ))}
        </Group>
      )}
    </>
  );
}

/** A button that adds the user to a policy and refetches the explanation. */
function Join({ policy, user }: { policy: Named; user: number }) {
  const client = useQueryClient();
  const join = useMutation({
    mutationFn: async () => {
      const { politics, version } = await call(getUser, { params: { id: user } });
      const body = { politics: [...politics.map(({ id }) => id), policy.id] };
      return call(updateUser, { params: { id: user }, body, version });
    },
    onSuccess: async (person) => {
      await client.invalidateQueries();
      toastSuccess(t.why.joined(policy.name), userName(person));
    },
    onError: (error) => toastFailure(error.message),
  });
  return (
    <Button loading={join.isPending} onClick={() => join.mutate()}>
      {t.why.join(policy.name)}
    </Button>
  );
}
