import { Anchor, Button, Stack } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage } from './auth-page.tsx';
import { useAttempt } from './use-attempt.ts';

/**
 * Confirms a new email by a button. Opening the link must not confirm it: mail scanners open every link before the
 * reader does.
 */
export function ConfirmEmail(props: {
  token: string;
  /** Makes the call and navigates by its outcome. */
  use: (send: () => Promise<unknown>) => Promise<void>;
}) {
  const { failure, busy, run } = useAttempt();
  return (
    <AuthPage
      title={t.auth.confirmEmailTitle}
      hint={t.auth.confirmEmailHint}
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
          onClick={() => run(() => props.use(() => call(linkCall, { body: { token: props.token } })))}
        >
          {t.auth.confirmEmail}
        </Button>
      </Stack>
    </AuthPage>
  );
}
