import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { type Phrase, render } from '@propusk/phrases/phrase';
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog, type OnClose, useExit } from '../forms/dialog.tsx';
import { useUnsaved } from '../forms/unsaved.ts';
import { messageOf, useAttempt } from '../forms/use-attempt.ts';
import { confirm } from '../ui/confirm.ts';
import { Notice } from '../ui/notice.tsx';
import { type Arranged, arrange, type Field } from './arrange.ts';
import { mark, type Read, type Report, readLines, settle } from './check.ts';
import { Checked, Columns } from './import-steps.tsx';
import { TableFault } from './table.ts';

/**
 * A dialog that imports rows of a table: a file is chosen or rows are pasted, columns get fields, the rows are checked, and the
 * rows without faults are saved, all or none. A failure keeps the table and the fields.
 */
export function ImportDialog<Value>(props: {
  title: string;
  hint: string;
  fields: readonly Field[];
  /** Loads what the rows refer to, and returns the function that reads a row. */
  prepare: () => Promise<Read<Value>>;
  /** Checks values on the server. @returns what the dialog says about them */
  preview: (values: Value[]) => Promise<ReactNode>;
  /** Saves values. @returns the outcome, for the last step of the dialog */
  save: (values: Value[]) => Promise<ReactNode>;
  onClose: OnClose;
}) {
  const { fields } = props;
  const [text, setText] = useState('');
  const [table, setTable] = useState<Arranged & { name: string }>();
  const [report, setReport] = useState<Report<Value>>();
  const [done, setDone] = useState<ReactNode>(null);
  const work = useAttempt(sentenceOf);
  const exit = useExit(props.onClose);
  const isChanged = (text !== '' || table !== undefined) && done === null && !exit.isLeaving;
  useUnsaved(isChanged);
  const missing = table && fields.find(({ key, content }) => content && !table.mapping.includes(key));
  const step = done ? 'done' : report ? 'report' : table ? 'table' : 'file';
  const body = useRef<HTMLDivElement>(null);
  // The focused button is gone, so the new step takes the focus, and a screen reader reads it.
  useEffect(() => {
    if (step !== 'file') body.current?.focus();
  }, [step]);

  const load = (file: File | null | undefined) =>
    work.run(async () => {
      if (!file) return;
      const { readTable } = await import('./read-table.ts');
      const rows = readTable(file.name, new Uint8Array(await file.arrayBuffer()));
      setTable({ name: file.name, ...arrange(rows, fields) });
    });
  const check = (arranged: Arranged) =>
    work.run(async () =>
      setReport(await settle(readLines(arranged, fields, await props.prepare()), props.preview)),
    );
  const save = ({ good, bad }: Report<Value>) =>
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
    if (step === 'file' && event.type === 'drop') void load(event.dataTransfer.files[0]);
  };
  async function close() {
    if (work.busy || exit.isLeaving) return;
    const question = { text: t.input.discard, yes: t.common.close, no: t.input.stay, danger: true };
    if (!isChanged || (await confirm(question))) exit.leave(done !== null);
  }

  const back = (label: string, run: () => void) => (
    <Button variant="default" disabled={work.busy} onClick={run}>
      {label}
    </Button>
  );
  const next = (label: string, run: () => void, isOff = false) => (
    <Button disabled={isOff} loading={work.busy} onClick={run}>
      {label}
    </Button>
  );
  return (
    <Dialog
      exit={exit}
      title={props.title}
      size={640}
      onClose={close}
      // The last step may show links that no other page has, so only a button closes it.
      {...(done !== null && { closeOnClickOutside: false, closeOnEscape: false })}
    >
      <Stack ref={body} tabIndex={-1} style={{ outline: 'none' }} onDragOver={drop} onDrop={drop}>
        {work.failure && <Notice kind="error">{work.failure}</Notice>}
        {step === 'file' && (
          <>
            <Text size="sm" c="dimmed">
              {props.hint}
            </Text>
            <Group gap="sm">
              <FileButton onChange={load} accept=".xlsx,.csv,.tsv,.txt">
                {(button) => (
                  <Button {...button} variant="default" loading={work.busy}>
                    {t.imports.choose}
                  </Button>
                )}
              </FileButton>
              <Text size="sm" c="dimmed">
                {t.imports.formats}
              </Text>
            </Group>
            <Textarea
              label={t.imports.paste}
              description={t.imports.pasteHint}
              autosize
              minRows={3}
              maxRows={8}
              data-autofocus
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          </>
        )}
        {table && step === 'table' && (
          <>
            <Text size="sm">{t.imports.columns(table.name, table.rows.length)}</Text>
            <Columns table={table} fields={fields} onChange={(mapping) => setTable({ ...table, mapping })} />
            {missing && <Notice kind="hint">{t.imports.needed(missing.label)}</Notice>}
          </>
        )}
        {table && report && step === 'report' && <Checked report={report} table={table} fields={fields} />}
        {done}
        {/* With the key, a second click cannot press the button of the next step. */}
        <Group key={step} justify="flex-end" gap="xs">
          {step === 'file' && (
            <>
              {back(t.common.cancel, close)}
              {next(t.imports.next, () => load(new File([text], t.imports.paste)), text.trim() === '')}
            </>
          )}
          {table && step === 'table' && (
            <>
              {back(t.imports.another, () => setTable(undefined))}
              {next(t.imports.check, () => check(table), missing !== undefined)}
            </>
          )}
          {report && step === 'report' && (
            <>
              {back(t.imports.back, () => setReport(undefined))}
              {next(t.imports.run(report.good.length), () => save(report), report.ready === null)}
            </>
          )}
          {step === 'done' && next(t.common.close, close)}
        </Group>
      </Stack>
    </Dialog>
  );
}

const sentenceOf = (error: unknown) =>
  error instanceof TableFault
    ? render(t.imports.faults, [error.code, error.line] as Phrase<typeof t.imports.faults>)
    : messageOf(error);
