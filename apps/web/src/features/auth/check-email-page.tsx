import '@mantine/core/styles/Group.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useLink as linkCall } from '@propusk/contract/auth';
import { limits } from '@propusk/contract/limits';
import { registrationMode } from '@propusk/contract/registration';
import { shownEmails } from '@propusk/contract/shown-email';
import * as t from '@propusk/phrases/console';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useAttempt } from '../../forms/use-attempt.ts';
import { Notice } from '../../ui/notice.tsx';
import { AuthPage, ToLogin } from './auth-page.tsx';
import { passwordRequest, useResendDelay } from './password-request.ts';
import { useReply } from './use-reply.ts';

/** /security/check-email, after a request for a link. The page does not reveal whether the address has an account. */
export function CheckEmailPage() {
  const email = passwordRequest.email();
  return email === null ? <Navigate to="/auth/reset" replace /> : <CheckEmail email={email} />;
}

function CheckEmail({ email }: { email: string }) {
  const attempt = useAttempt();
  const { left, restart } = useResendDelay();
  const [resent, setResent] = useState(false);
  const mailed = useReply((signal) => call(registrationMode, {}, signal)).reply?.mailed ?? true;

  function resend(): Promise<void> {
    setResent(false);
    return attempt.run(async () => {
      await call(linkCall, { body: { email } });
      passwordRequest.note(email);
      restart();
      setResent(true);
    });
  }

  return (
    <AuthPage
      title={t.reset.checkTitle}
      hint={mailed ? t.reset.checkHint : t.reset.checkHintNoMail}
      footer={<ToLogin before={t.auth.remembered} />}
    >
      <Stack gap="md">
        <Text
          p="sm"
          bd="1px solid var(--line)"
          bdrs="sm"
          bg="var(--surface)"
          c="white"
          fz={17}
          fw={500}
          style={{ overflowWrap: 'anywhere' }}
        >
          {shownEmails(email)}
        </Text>
        <div>
          <Text>{t.reset.checkLife(limits.linkMinutes)}</Text>
          <Text>{mailed ? t.reset.checkSpam : t.noMail}</Text>
        </div>
        {attempt.failure && <Notice kind="warning">{attempt.failure}</Notice>}
        {resent && <Notice kind="success">{t.reset.resent}</Notice>}
        <Group gap="xs" mt="xs">
          {/* A fixed width: the seconds in the label must not resize the button. */}
          <Button
            size="md"
            miw={264}
            variant="default"
            disabled={left > 0}
            loading={attempt.busy}
            onClick={resend}
            style={{ fontVariantNumeric: 'tabular-nums' }}
          >
            {left > 0 ? t.reset.resendIn(left) : t.reset.resend}
          </Button>
          <Button size="md" variant="subtle" component={Link} to="/auth/reset">
            {t.reset.otherEmail}
          </Button>
        </Group>
      </Stack>
    </AuthPage>
  );
}
