import { Button, Group, Modal, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type ReactNode, useEffect, useState } from 'react';
import { Notice } from './notice.tsx';
import { useReturnFocus } from './use-return-focus.ts';

/** A question of `confirm()`. With `action`, the dialog stays open until the action is done, and shows its failure. */
export interface Question {
  text: string;
  hint?: ReactNode;
  /** A sentence about the loss that the action causes, loaded while the dialog is open. The dialog reports a failed load. */
  consequence?: Promise<string>;
  /** The label of the button that confirms; false if the dialog only informs. */
  yes: string | false;
  /** The label of the button that refuses; by default "Cancel". */
  no?: string;
  /** Whether the button that confirms is red, for a destructive action. */
  danger?: boolean;
  action?: () => Promise<unknown>;
  /** The toast after the action. */
  done?: readonly [title: string, detail?: string];
}

/** The open question. While its action runs it cannot be answered, so that the outcome of the action is always shown. */
export interface Open {
  question: Question;
  busy: boolean;
  /** Why the last run of the action failed. */
  failure: string | null;
  answer: (yes: boolean) => void;
}

/** The dialog that `confirm()` opens. `Questions` mounts it. */
export function ConfirmDialog({
  open,
  opened,
  onClose,
}: {
  open: Open | null;
  opened: boolean;
  onClose: () => void;
}) {
  // The last question stays visible while the dialog fades out.
  const [last, setLast] = useState(open);
  if (open && open !== last) setLast(open);
  useReturnFocus(opened);
  const shown = open ?? last;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      returnFocus={false}
      size={440}
      zIndex={400}
      title={shown?.question.text}
    >
      {shown && <Ask key={shown.question.text} open={shown} />}
    </Modal>
  );
}

function Ask({ open: { question, busy, failure, answer } }: { open: Open }) {
  return (
    <>
      {question.hint && (
        <Text component="div" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {question.hint}
        </Text>
      )}
      {question.consequence && <Consequence of={question.consequence} />}
      {failure && (
        <Notice kind="error" mt="md">
          {failure}
        </Notice>
      )}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={() => answer(false)} disabled={busy} data-autofocus>
          {question.no ?? t.common.cancel}
        </Button>
        {question.yes && (
          <Button color={question.danger ? 'red.9' : undefined} onClick={() => answer(true)} loading={busy}>
            {question.yes}
          </Button>
        )}
      </Group>
    </>
  );
}

/** Shows the consequence when it has loaded. The line is there from the start, so that no button moves. */
function Consequence({ of: consequence }: { of: Promise<string> }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    void consequence.catch(() => t.loss.unknown).then((known) => shown && setText(known));
    return () => {
      shown = false;
    };
  }, [consequence]);
  return (
    <Text component="output" display="block" mt="xs" c={text === null ? 'dimmed' : undefined} fw={500}>
      {text ?? t.loss.counting}
    </Text>
  );
}
