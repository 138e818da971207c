import { Button, Loader } from '@mantine/core';
import { createPairing } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import {
  IconCircleCheck,
  IconClockX,
  IconKey,
  IconPlugConnectedX,
  IconPuzzle,
  IconPuzzleOff,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { ExtensionDownloads } from '../../entities/extension/extension-downloads.tsx';
import { useAttempt } from '../../forms/use-attempt.ts';
import { Standalone } from '../../frame/standalone.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';
import { usePageTitle } from '../../ui/use-page-title.ts';
import { type Status, useExtension } from './use-extension.ts';

/**
 * /extension/pair#code: the extension reads the code from the URL, asks the user, and signs in with the code. The
 * page only shows the outcome that the extension reports.
 */
export function PairPage() {
  usePageTitle(t.pairing.title);
  return (
    <Standalone width={640}>
      <Card>
        <Pairing hasCode={window.location.hash.length > 1} />
      </Card>
    </Standalone>
  );
}

const icons = {
  looking: IconPuzzle,
  asking: IconPuzzle,
  done: IconCircleCheck,
  absent: IconPuzzleOff,
  noCode: IconKey,
  failed: IconClockX,
  refused: IconPlugConnectedX,
};

function Pairing({ hasCode }: { hasCode: boolean }) {
  const message = messageOf(useExtension(), hasCode);
  const Icon = icons[message];
  return (
    <output>
      <State
        alone
        icon={<Icon size={24} />}
        title={t.pairing[message]}
        hint={t.pairing[`${message}Hint`]}
        action={<Action message={message} />}
      />
    </output>
  );
}

function messageOf(status: Status, hasCode: boolean): keyof typeof icons {
  if (status === 'looking' || status === 'absent') return status;
  if (status === 'yes') return 'done';
  if (!hasCode) return 'noCode';
  return status === 'there' ? 'asking' : status;
}

function Action({ message }: { message: keyof typeof icons }) {
  if (message === 'looking' || message === 'asking') return <Loader size="sm" aria-hidden />;
  if (message === 'absent') {
    return (
      <>
        <ExtensionDownloads />
        <NewCode label={t.common.retry} />
      </>
    );
  }
  if (message !== 'done') return <NewCode label={t.pairing.newCode} />;
  return (
    <Button component={Link} to="/" variant="default">
      {t.pairing.toConsole}
    </Button>
  );
}

/** A button that requests another code for the signed-in user, or without a session a link to the login page. */
function NewCode({ label }: { label: string }) {
  const attempt = useAttempt();
  const ask = () =>
    attempt.run(async () => {
      const { code } = await call(createPairing, {});
      // The extension reads the URL only on page load, so an extension installed after that needs a reload.
      window.history.replaceState(null, '', `#${code}`);
      window.location.reload();
    });

  // The session may have ended since this page was opened.
  if (token.read() === null || attempt.code === 'unauthorized') {
    return (
      <Button component="a" href="/dashboard/personal-data">
        {t.pairing.toLogin}
      </Button>
    );
  }
  return (
    <>
      <Button loading={attempt.busy} onClick={ask}>
        {label}
      </Button>
      {attempt.failure && <Notice kind="error">{attempt.failure}</Notice>}
    </>
  );
}
