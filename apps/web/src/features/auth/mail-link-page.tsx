import { Box, Button, Stack } from '@mantine/core';
import { useLink as linkCall, logout } from '@propusk/contract/auth';
import { openLink } from '@propusk/contract/invitations';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { useAttempt } from '../../forms/use-attempt.ts';
import { Notice } from '../../ui/notice.tsx';
import { Failed } from '../../ui/state.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { AuthPage, ToLogin } from './auth-page.tsx';
import { type MailLink, readMailLink, useFragment } from './mail-link.ts';
import { NewPassword, type UseLink } from './new-password.tsx';
import { passwordRequest } from './password-request.ts';
import { useReply } from './use-reply.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The kind of the mail link that was just used. The login page then shows its outcome. */
    done?: MailLink['kind'];
  }
}

/** /security/login: the page that links in mail open. */
export function MailLinkPage() {
  const link = useFragment(readMailLink);
  return <Opened key={link?.token} link={link} />;
}

function Opened({ link }: { link: MailLink | null }) {
  const navigate = useNavigate();
  const [dead, setDead] = useState(false);
  if (link === null || dead) return <DeadLink kind={link?.kind} />;

  /**
   * Makes the call of the mail link, and signs an invited user in.
   * @throws the error of the call, unless the link is expired or used: this page reports that
   */
  async function use(
    send: () => Promise<unknown>,
    signIn?: () => Promise<{ token: string }>,
    leadsToExtension = false,
  ): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'link_dead')) throw error;
      setDead(true);
      return;
    }
    // The confirmation of an email address does not end sessions: the user stays signed in.
    if (link?.kind === 'confirm' && token.read() !== null) {
      toastSuccess(t.mailLink.confirmed);
      await navigate({ to: '/dashboard', replace: true });
      return;
    }
    // The server has ended every session of the link's user (spec section 4). Another user may be signed in here.
    const bearer = token.read();
    if (bearer !== null) await call(logout, { bearer }).catch(() => {});
    const session = await signIn?.().catch(() => null);
    token.store(session?.token ?? null);
    passwordRequest.clear();
    const start = leadsToExtension ? '/extension/pair' : '/dashboard';
    const to = session ? start : '/auth/login';
    await navigate({
      to,
      replace: true,
      ignoreBlocker: true,
      state: { done: session ? undefined : link?.kind },
    });
  }

  return link.kind === 'password' ? (
    <PasswordLink token={link.token} use={use} onDead={() => setDead(true)} />
  ) : (
    <ConfirmEmail link={link} use={use} />
  );
}

/** Reads the account of a password link first, so that the page reports a used or expired link before it shows a form. */
function PasswordLink(props: { token: string; use: UseLink; onDead: () => void }) {
  const { token, use } = props;
  const { reply, error, retry } = useReply((signal) => call(openLink, { body: { token } }, signal));
  const onDead = useEffectEvent(props.onDead);
  const isDead = error instanceof ApiError && error.code === 'link_dead';
  useEffect(() => {
    if (isDead) onDead();
  }, [isDead]);
  if (reply) return <NewPassword token={token} account={reply} use={use} />;
  return (
    <AuthPage title={t.mailLink.newPasswordTitle} hint={t.mailLink.opening} footer={<ToLogin />}>
      {error && !isDead ? <Failed query={{ error, isFetching: false, refetch: retry }} /> : <Box h={200} />}
    </AuthPage>
  );
}

/**
 * Confirms the new email address of a user, or the email address of a company, when the user presses a button. Opening
 * the link must not confirm anything, because mail scanners open every link before the reader does.
 */
function ConfirmEmail(props: { link: MailLink; use: UseLink }) {
  const { kind, token } = props.link;
  const { failure, busy, run } = useAttempt();
  const ofCompany = kind === 'confirm';
  return (
    <AuthPage
      title={ofCompany ? t.mailLink.confirmCompanyTitle : t.mailLink.confirmEmailTitle}
      hint={ofCompany ? t.mailLink.confirmCompanyHint : t.mailLink.confirmEmailHint}
      footer={<ToLogin />}
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

/** For each kind of link, the page on which the user requests another one. */
const ways = {
  password: { to: '/auth/reset', label: t.mailLink.askPasswordLink },
  email: { to: '/dashboard/personal-data', label: t.mailLink.askEmailLink },
  confirm: { to: '/dashboard', label: t.mailLink.toConsole },
} as const;

/**
 * Shown for an expired or used mail link, with a button to request another.
 * @param props.kind of the expired link; absent when the page was opened without a link
 */
function DeadLink({ kind }: { kind?: MailLink['kind'] | undefined }) {
  const hint = kind === undefined ? t.mailLink.noLinkHint : t.mailLink.deadHint[kind];
  return (
    <AuthPage
      title={kind === undefined ? t.mailLink.noLinkTitle : t.mailLink.deadTitle}
      hint={hint(limits.linkMinutes, limits.invitationDays)}
      footer={<ToLogin />}
    >
      <Button size="md" component={Link} to={ways[kind ?? 'password'].to}>
        {ways[kind ?? 'password'].label}
      </Button>
    </AuthPage>
  );
}
