import { ActionIcon, Skeleton, Text } from '@mantine/core';
import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { Failed } from '../../ui/state.tsx';
import { Tags } from '../../ui/tags.tsx';
import classes from './access-card.module.css';
import { curlLine } from './curl-line.ts';

const MASK = '••••••••••••';

/** The signed-in user's proxy settings: everything that a proxy client needs. */
export function AccessCard() {
  const query = useQuery(queryOptions(myAccess, {}));
  if (query.data) return <Access access={query.data} />;
  if (query.error) {
    return (
      <Card title={t.access.title}>
        <Failed query={query} />
      </Card>
    );
  }
  return <Skeleton height={420} radius="md" aria-hidden />;
}

function Access({ access }: { access: GatewayAccess }) {
  const [shown, setShown] = useState(false);
  const { scheme, host, port } = access.gateway;
  const gateway = `${scheme}://${host}:${port}`;
  const copy = (field: string, value: string) => (
    <CopyButton value={value} label={t.access.copyField(field)} />
  );
  const Eye = shown ? IconEyeOff : IconEye;
  const toggleLabel = shown ? t.access.hidePassword : t.access.showPassword;
  const sites = access.sites.map((address, id) => ({ id, name: unicodeHost(address) }));
  return (
    <DefinitionCard
      title={t.access.title}
      lead={t.access.hint}
      rows={[
        { term: t.access.gateway, value: gateway, tools: copy(t.access.gateway, gateway) },
        { term: t.access.login, value: access.username, tools: copy(t.access.login, access.username) },
        {
          term: t.access.password,
          value: <span className={classes.secret}>{shown ? access.password : MASK}</span>,
          tools: (
            <>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={toggleLabel}
                title={toggleLabel}
                onClick={() => setShown(!shown)}
              >
                <Eye size={16} aria-hidden />
              </ActionIcon>
              {copy(t.access.password, access.password)}
            </>
          ),
        },
        {
          term: t.access.line,
          value: <code className={classes.line}>{curlLine(access, shown ? access.password : MASK)}</code>,
          tools: copy(t.access.line, curlLine(access, access.password)),
        },
        {
          term: t.access.sites,
          value: access.allSites ? t.access.allSites : <Tags names={sites} none={t.access.noSites} />,
        },
      ]}
      footer={<Text c="dimmed">{t.access.expires(formatMoment(access.expiresAt))}</Text>}
    />
  );
}
