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
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { ExtensionDownloads } from '../../common/extension-downloads.tsx';
import { Standalone } from '../../common/standalone.tsx';
import { useAttempt } from '../../common/use-attempt.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';
import { usePageTitle } from '../../ui/use-page-title.ts';
import { useExtension } from './use-extension.ts';

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

function Pairing({ hasCode }: { hasCode: boolean }) {
  const status = useExtension();
  const icon = 24;
  if (status === 'looking') return <Working title={t.pairing.looking} hint={t.pairing.lookingHint} />;
  if (status === 'yes') {
    return (
      <Message icon={<IconCircleCheck size={icon} />} title={t.pairing.done} hint={t.pairing.doneHint}>
        <Button component={Link} to={paths.home} variant="default">
          {t.pairing.toConsole}
        </Button>
      </Message>
    );
  }
  if (status === 'absent') {
    return (
      <Message icon={<IconPuzzleOff size={icon} />} title={t.pairing.absent} hint={t.pairing.absentHint}>
        <ExtensionDownloads />
        <NewCode label={t.common.retry} />
      </Message>
    );
  }
  if (!hasCode) {
    return (
      <Message icon={<IconKey size={icon} />} title={t.pairing.noCode} hint={t.pairing.noCodeHint}>
        <NewCode label={t.pairing.newCode} />
      </Message>
    );
  }
  if (status === 'there') {
    return <Working title={t.pairing.asking} hint={t.pairing.askingHint} />;
  }
  return (
    <Message
      icon={status === 'failed' ? <IconClockX size={icon} /> : <IconPlugConnectedX size={icon} />}
      title={t.pairing[status]}
      hint={t.pairing[`${status}Hint`]}
    >
      <NewCode label={t.pairing.newCode} />
    </Message>
  );
}

function Message(props: { icon: ReactNode; title: string; hint: string; children: ReactNode }) {
  return (
    <output>
      <State alone icon={props.icon} title={props.title} hint={props.hint} action={props.children} />
    </output>
  );
}

function Working({ title, hint }: { title: string; hint: string }) {
  return (
    <Message icon={<IconPuzzle size={24} />} title={title} hint={hint}>
      <Loader size="sm" aria-hidden />
    </Message>
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
      <Button component="a" href={paths.personalData}>
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
