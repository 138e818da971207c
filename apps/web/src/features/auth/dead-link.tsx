import { Anchor, Button } from '@mantine/core';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { AuthPage } from './auth-page.tsx';
import type { MailLink } from './mail-link.ts';

/** Where another link is requested. */
const ways = {
  password: { to: paths.reset, label: t.mailLink.askPasswordLink },
  email: { to: paths.personalData, label: t.mailLink.askEmailLink },
  confirm: { to: paths.dashboard, label: t.mailLink.toConsole },
} as const;

/**
 * A mail link that is expired or used, with a way to request another.
 * @param props.kind of the dead link; absent where the page was opened without one
 */
export function DeadLink({ kind }: { kind?: MailLink['kind'] | undefined }) {
  const hint = kind === undefined ? t.mailLink.noLinkHint : t.mailLink.deadHint[kind];
  return (
    <AuthPage
      title={kind === undefined ? t.mailLink.noLinkTitle : t.mailLink.deadTitle}
      hint={hint(limits.linkMinutes)}
      footer={
        <Anchor component={Link} to={paths.login}>
          {t.auth.backToLogin}
        </Anchor>
      }
    >
      <Button size="md" component={Link} to={ways[kind ?? 'password'].to}>
        {ways[kind ?? 'password'].label}
      </Button>
    </AuthPage>
  );
}
