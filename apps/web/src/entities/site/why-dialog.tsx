import { Button, Group, Stack, Text } from '@mantine/core';
import type { Named } from '@propusk/contract/fields';
import { getSite, listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { getUser, updateUser } from '@propusk/contract/users';
import { type Explanation, whySite } from '@propusk/contract/why';
import * as t from '@propusk/phrases/console';
import { openTimes } from '@propusk/phrases/when';
import { IconCircleCheck, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import { call } from '../../api/call.ts';
import { queryOptions } from '../../api/queries.ts';
import { dialogLink } from '../../dialog-route.tsx';
import { Dialog, type OnClose, useExit } from '../../forms/dialog.tsx';
import { SelectField } from '../../forms/select-fields.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Outcome } from '../../ui/outcome.tsx';
import { toastFailure, toastSuccess } from '../../ui/toast.ts';
import { useUserOptions } from '../use-options.ts';
import { userName } from '../user/names.ts';

interface Asked {
  user?: number | undefined;
}

/**
 * Explains whether a user may reach a site: the server's access decision, and the policy that would give access.
 * @param props.site the site, where its id is not in the path
 * @param props.person the user to begin with
 */
export function WhyDialog(props: { site?: Named; person?: Named; onClose: OnClose }) {
  const { person } = props;
  const params = useParams({ strict: false });
  const id = props.site?.id ?? Number(params.id);
  const query = useEntity(getSite, listSites, id);
  const { control } = useForm<Asked>({ defaultValues: { user: person?.id } });
  const user = useWatch({ control, name: 'user' });
  const people = useUserOptions(person ? [person] : []);
  const exit = useExit(props.onClose);
  const host = query.data?.address ?? props.site?.name ?? '';
  return (
    <Dialog exit={exit} onClose={exit.leave} title={t.why.title(unicodeHost(host))} size={560}>
      <Loaded query={{ ...query, data: query.data ?? props.site }} height={160}>
        {() => (
          <Stack gap="md">
            <SelectField
              control={control}
              name="user"
              label={t.why.user}
              description={t.why.userHint}
              placeholder={t.form.choose.person}
              options={people}
            />
            {user !== undefined && <Answer key={user} siteId={id} user={user} />}
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}

function Answer({ siteId, user }: { siteId: number; user: number }) {
  const query = useQuery(queryOptions(whySite, { params: { id: siteId }, query: { user } }));
  return (
    <Loaded query={query} height={160}>
      {(explanation) => <Explained explanation={explanation} siteId={siteId} user={user} />}
    </Loaded>
  );
}

const states = { held: 'passed', missing: 'failed', unchecked: 'waiting' } as const;
const says = { held: t.why.there, missing: t.why.missing, unchecked: t.why.unchecked };

/** The refusal reasons that a change of the policy's times can resolve. */
const timeReasons = new Set<unknown>(['not_yet', 'right_ended', 'outside_hours']);

function Explained(props: { explanation: Explanation; siteId: number; user: number }) {
  const { allow, reason, message, until, advice, policy, proxy, links, mends } = props.explanation;
  const ofTime = timeReasons.has(reason);
  return (
    <>
      <Outcome
        tone={allow ? 'good' : 'bad'}
        icon={allow ? <IconCircleCheck size={22} stroke={1.75} /> : <IconLock size={22} stroke={1.75} />}
        title={allow ? t.why.allowed : t.why.refused}
      >
        <Text component="span">{message}</Text>
        {until && <Text component="span">{openTimes(allow, until)}</Text>}
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
          {(ofTime || mends.length === 0) && (
            <Button
              variant="default"
              component={Link}
              to={`/dashboard/creator/${ofTime ? 'politics' : 'users'}`}
            >
              {ofTime ? t.why.toPolicies : t.why.toUsers}
            </Button>
          )}
          {!ofTime && reason !== 'suspended' && mends.length === 0 && <AssignButton site={props.siteId} />}
          {mends.map((mend) => (
            <Join key={mend.id} policy={mend} user={props.user} />
          ))}
        </Group>
      )}
    </>
  );
}

/** A link to the form of the site, in which the owner assigns a policy. It replaces the dialog over the list of sites. */
function AssignButton({ site }: { site: number }) {
  const isOverSites = useParams({ strict: false }).id !== undefined;
  return (
    <Button
      renderRoot={(props) => (
        <Link
          {...props}
          {...dialogLink('/dashboard/creator/domains/$id/edit', site, { isOver: false })}
          {...(isOverSites && { replace: true, state: true, search: true, resetScroll: false })}
        />
      )}
    >
      {t.why.assign}
    </Button>
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
