import { Anchor, Button } from '@mantine/core';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { AuthPage } from './auth-page.tsx';
import type { MailLink } from './mail-link.ts';

/**
 * A mail link that is expired or used, with a way to request another.
 * @param props.kind of the dead link; absent where the page was opened without one
 */
export function DeadLink({ kind }: { kind?: MailLink['kind'] | undefined }) {
  const ofEmail = kind === 'email';
  const hint = kind === undefined ? t.auth.noLinkHint : t.auth.deadHint[kind];
  return (
    <AuthPage
      title={kind === undefined ? t.auth.noLinkTitle : t.auth.deadTitle}
      hint={hint(limits.linkMinutes)}
      footer={
        <Anchor component={Link} to={paths.login}>
          {t.auth.backToLogin}
        </Anchor>
      }
    >
      <Button size="md" component={Link} to={ofEmail ? paths.personalData : paths.reset}>
        {ofEmail ? t.auth.askEmailLink : t.auth.askPasswordLink}
      </Button>
    </AuthPage>
  );
}
