import * as t from '@propusk/phrases/console';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { token } from '../../api/token.ts';
import { paths } from '../../paths.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { ConfirmEmail } from './confirm-email.tsx';
import { DeadLink } from './dead-link.tsx';
import { type MailLink, readMailLink, useFragment } from './mail-link.ts';
import { NewPassword } from './new-password.tsx';
import { passwordRequest } from './password-request.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The outcome of a mail link, shown by the login page. */
    done?: MailLink['kind'];
  }
}

/** /security/login: the target of links in mail. */
export function MailLinkPage() {
  const link = useFragment(readMailLink);
  return <Opened key={link?.token} link={link} />;
}

function Opened({ link }: { link: MailLink | null }) {
  const navigate = useNavigate();
  const [dead, setDead] = useState(false);
  if (link === null || dead) return <DeadLink kind={link?.kind} />;

  /** @throws the error of the call, except for a dead link, which this page itself shows */
  async function use(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'link_dead')) throw error;
      setDead(true);
      return;
    }
    // A confirmation leaves the sessions.
    if (link?.kind === 'confirm' && token.read() !== null) {
      toastSuccess(t.mailLink.confirmed);
      await navigate({ to: paths.dashboard, replace: true });
      return;
    }
    // Spec section 4. The server has ended every session, the one of this browser too.
    token.store(null);
    passwordRequest.forget();
    await navigate({ to: paths.login, replace: true, ignoreBlocker: true, state: { done: link?.kind } });
  }

  return link.kind === 'password' ? (
    <NewPassword token={link.token} use={use} />
  ) : (
    <ConfirmEmail link={link} use={use} />
  );
}
