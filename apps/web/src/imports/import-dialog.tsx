import { Button, Group, Stack } from '@mantine/core';
import { listPolicies } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useState } from 'react';
import { queryOptions } from '../api/queries.ts';
import { Dialog, type OnClose, useExit } from '../forms/dialog.tsx';
import { mayDiscard, useUnsaved } from '../forms/unsaved.ts';
import { messageOf, useAttempt } from '../forms/use-attempt.ts';
import { Notice } from '../ui/notice.tsx';
import { mark, type Report, readLines, settle, type Value } from './check.ts';
import { Checked, Columns, Source } from './import-steps.tsx';
import { type Arranged, arrange, type Field, TableFault } from './table.ts';

const politics = { key: 'politics', label: t.users.policies, heading: t.imports.headings.politics };

/**
 * A dialog that imports rows of a table: a file is chosen or rows are pasted, columns get fields, the rows are checked, and the
 * rows without faults are saved, all or none. A failure keeps the table and the fields. A column may name access policies.
 */
export function ImportDialog<Key extends string>(props: {
  title: string;
  hint: string;
  /** The fields besides the policies. */
  fields: readonly Field<Key>[];
  /** Returns the key of a row from the text of its first field. Rows with equal keys, in any case of letters, are repeated. */
  keyOf: (text: string) => string;
  /** Checks values on the server. @returns what the dialog says about them */
  preview: (values: Value<Key>[]) => Promise<string>;
  /** Saves values. @returns the outcome, for the last step of the dialog */
  save: (values: Value<Key>[]) => Promise<ReactNode>;
  onClose: OnClose;
}) {
  const client = useQueryClient();
  const fields: readonly Field[] = [...props.fields, politics];
  const [text, setText] = useState('');
  const [table, setTable] = useState<Arranged & { name: string }>();
  const [report, setReport] = useState<Report<Key>>();
  const [done, setDone] = useState<ReactNode>(null);
  const work = useAttempt((error) => (error instanceof TableFault ? error.message : messageOf(error)));
  const exit = useExit(props.onClose);
  const isChanged = (text !== '' || table !== undefined) && done === null && !exit.isLeaving;
  useUnsaved(isChanged);

  const load = (file: File | null | undefined) =>
    work.run(async () => {
      if (!file) return;
      const { readTable } = await import('./read-table.ts');
      const rows = readTable(file.name, new Uint8Array(await file.arrayBuffer()));
      setTable({ name: file.name, ...arrange(rows, fields) });
    });
  const check = (arranged: Arranged) =>
    work.run(async () => {
      const policies = await client.fetchQuery(queryOptions(listPolicies, {}));
      const lines = readLines(arranged, props.fields, policies.rows, props.keyOf);
      setReport(await settle(lines, props.preview));
    });
  const save = ({ good, bad }: Report<Key>) =>
    work.run(async () => {
      try {
        setDone(await props.save(good.map(({ value }) => value)));
      } catch (error) {
        // Somebody has added one of the rows since the check.
        if (mark(good, error)) setReport(await settle([...bad, ...good], props.preview));
        throw error;
      }
    });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (!table && event.type === 'drop') void load(event.dataTransfer.files[0]);
  };
  async function close() {
    if (work.busy || exit.isLeaving) return;
    if (!isChanged || (await mayDiscard())) exit.leave(done !== null);
  }

  const frame = (step: string, content: ReactNode, next: Action, back?: Action) => (
    <Dialog
      exit={exit}
      title={props.title}
      size={640}
      onClose={close}
      // The last step may show links that no other page has, so only a button closes it.
      {...(done !== null && { closeOnClickOutside: false, closeOnEscape: false })}
    >
      {/* Each step is a new element that takes the focus: a screen reader reads it, and a second click presses no button of it. */}
      <Stack
        key={step}
        ref={table ? focus : null}
        tabIndex={-1}
        style={{ outline: 'none' }}
        onDragOver={drop}
        onDrop={drop}
      >
        {work.failure && <Notice kind="error">{work.failure}</Notice>}
        {content}
        <Group justify="flex-end" gap="xs">
          {back && (
            <Button variant="default" disabled={work.busy} onClick={back.run}>
              {back.label}
            </Button>
          )}
          <Button disabled={next.isOff === true} loading={work.busy} onClick={next.run}>
            {next.label}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
  if (done) return frame('done', done, { label: t.common.close, run: close });
  if (!table) {
    const pasted = () => load(new File([text], t.imports.paste));
    return frame(
      'file',
      <Source hint={props.hint} isBusy={work.busy} text={text} onText={setText} onFile={load} />,
      { label: t.imports.next, run: pasted, isOff: text.trim() === '' },
      { label: t.common.cancel, run: close },
    );
  }
  if (!report) {
    const missing = fields.find(({ key, content }) => content && !table.mapping.includes(key));
    const map = (mapping: readonly string[]) => setTable({ ...table, mapping });
    return frame(
      'table',
      <Columns table={table} fields={fields} missing={missing} onChange={map} />,
      { label: t.imports.check, run: () => check(table), isOff: missing !== undefined },
      { label: t.imports.another, run: () => setTable(undefined) },
    );
  }
  return frame(
    'report',
    <Checked report={report} table={table} fields={fields} />,
    { label: t.imports.run(report.good.length), run: () => save(report), isOff: !report.ready },
    { label: t.imports.back, run: () => setReport(undefined) },
  );
}

interface Action {
  label: string;
  run: () => void;
  isOff?: boolean;
}
const focus = (element: HTMLElement | null) => element?.focus();
