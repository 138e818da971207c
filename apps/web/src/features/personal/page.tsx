import { Button, Stack, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useRef, useState } from 'react';
import { ExtensionCard } from '../../entities/extension/extension-card.tsx';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccessCard } from './access-card.tsx';
import { OwnEmailForm } from './email-form.tsx';
import { SecondFactorCard } from './factor/second-factor-card.tsx';
import { OwnPasswordForm } from './password-form.tsx';
import { SessionsCard } from './sessions-card.tsx';

const OwnVisitsCard = lazyPart(() => import('./own-visits-card.tsx'), 'OwnVisitsCard', null);

/**
 * /dashboard/user/personal-data, and /dashboard/personal-data for users without the role USER: name and
 * roles, sign-in, sessions, and for a member of a company the proxy settings.
 */
export function PersonalPage() {
  const me = useMe();
  const roles = rolesOf(me);
  // Users cannot change their own names. The hint names whom to ask, which depends on the role.
  const role = (['ADMIN', 'CREATOR'] as const).find((one) => roles.includes(one)) ?? 'USER';
  const [changing, setChanging] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);

  function close() {
    setChanging(false);
    opener.current?.focus();
  }

  return (
    <>
      <PageHeader title={t.personal.title} />
      <Stack gap="lg" maw={800}>
        <DefinitionCard
          rows={[
            { term: t.personal.name, value: me.name || t.common.none },
            { term: t.personal.surname, value: me.surname || t.common.none },
            {
              term: t.personal.email,
              value: me.email,
              tools: (
                <Button
                  ref={opener}
                  variant="subtle"
                  size="compact-sm"
                  aria-expanded={changing}
                  onClick={() => setChanging(!changing)}
                >
                  {t.personal.changeEmail}
                </Button>
              ),
            },
          ]}
          footer={<Text c="dimmed">{t.personal.hint[role]}</Text>}
        />
        {changing && <OwnEmailForm onClose={close} />}
        <ExtensionCard />
        {/* Only users of a company have a gateway password. */}
        {me.company && <AccessCard />}
        {/* A new password revokes the link that confirms a new email address, so the form for the new address closes. */}
        <OwnPasswordForm me={me} onChanged={() => setChanging(false)} />
        <SecondFactorCard />
        <SessionsCard />
        {me.company && <OwnVisitsCard />}
      </Stack>
    </>
  );
}
