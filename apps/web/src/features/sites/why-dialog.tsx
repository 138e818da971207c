import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import type { Site } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { type Explanation, whySite } from '@propusk/contract/why';
import * as t from '@propusk/phrases/console';
import { IconCircleCheck, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import { queryOptions } from '../../api/queries.ts';
import { SelectField } from '../../common/select-fields.tsx';
import { useUserOptions } from '../../common/use-options.ts';
import { paths } from '../../paths.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Outcome } from '../../ui/outcome.tsx';
import { useReturnFocus } from '../../ui/use-return-focus.ts';

interface Asked {
  user?: number;
}

/** Explains why a user reaches a site or does not: the decision of `decide`, and the missing link. */
export function WhyDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { control } = useForm<Asked>();
  const user = useWatch({ control, name: 'user' });
  const people = useUserOptions([]);
  useReturnFocus(true);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.why.title(unicodeHost(site.address))}
      size={560}
      returnFocus={false}
    >
      <Stack gap="md">
        <SelectField
          control={control}
          name="user"
          label={t.why.user}
          description={t.why.userHint}
          options={people}
        />
        {user !== undefined && <Answer key={user} siteId={site.id} user={user} />}
      </Stack>
    </Modal>
  );
}

function Answer({ siteId, user }: { siteId: number; user: number }) {
  const { data, error, isFetching, refetch } = useQuery(
    queryOptions(whySite, { params: { id: siteId }, query: { user } }),
  );
  if (data) return <Explained explanation={data} />;
  if (!error) return <Skeleton height={160} />;
  return (
    <Notice kind="error">
      {error.message}
      <Button
        display="block"
        size="compact-sm"
        variant="default"
        mt="xs"
        loading={isFetching}
        onClick={() => refetch()}
      >
        {t.common.retry}
      </Button>
    </Notice>
  );
}

function Explained({ explanation }: { explanation: Explanation }) {
  const { allow, reason, message, advice, policy, proxy, links } = explanation;
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
          checks={links.map(({ title, there }, index) => ({
            key: `${index} ${title}`,
            title,
            state: there ? 'passed' : 'failed',
            says: there ? t.why.there : t.why.missing,
            detail: there ? t.why.there : t.why.missing,
          }))}
        />
      )}
      {!allow && (
        <Group gap="xs" justify="flex-end">
          <Button variant="default" component={Link} to={paths.creatorUsers}>
            {t.why.toUsers}
          </Button>
          <Button component={Link} to={paths.creatorPolicies}>
            {t.why.toPolicies}
          </Button>
        </Group>
      )}
    </>
  );
}
