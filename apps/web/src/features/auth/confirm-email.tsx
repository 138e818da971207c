import { Anchor, Button, Stack } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { useAttempt } from '../../common/use-attempt.ts';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage } from './auth-page.tsx';
import type { MailLink } from './mail-link.ts';

/**
 * Confirms a new email, or the mail of a company, by a button. Opening the link must not confirm it: mail scanners open
 * every link before the reader does.
 */
export function ConfirmEmail(props: {
  link: MailLink;
  /** Makes the call and navigates by its outcome. */
  use: (send: () => Promise<unknown>) => Promise<void>;
}) {
  const { kind, token } = props.link;
  const { failure, busy, run } = useAttempt();
  const ofCompany = kind === 'confirm';
  return (
    <AuthPage
      title={ofCompany ? t.mailLink.confirmCompanyTitle : t.mailLink.confirmEmailTitle}
      hint={ofCompany ? t.mailLink.confirmCompanyHint : t.mailLink.confirmEmailHint}
      footer={
        <Anchor component={Link} to={paths.login}>
          {t.auth.backToLogin}
        </Anchor>
      }
    >
      <Stack gap="md">
        {failure && <Notice kind="warning">{failure}</Notice>}
        <Button
          size="md"
          fullWidth
          loading={busy}
          onClick={() => run(() => props.use(() => call(linkCall, { body: { token } })))}
        >
          {t.mailLink.confirmEmail}
        </Button>
      </Stack>
    </AuthPage>
  );
}
