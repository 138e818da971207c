import { Button, FileButton, Group, NativeSelect, Text, Textarea } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { FaultList } from '../ui/fault-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { saveCsv } from '../ui/save-file.ts';
import type { Line, Report } from './check.ts';
import type { Arranged, Field } from './table.ts';

/** The most refused rows that the dialog shows. All of them are in the file that it offers. */
const SHOWN = 100;

/** The step that chooses a file or takes pasted rows. */
export function Source(props: {
  hint: string;
  isBusy: boolean;
  text: string;
  onText: (text: string) => void;
  onFile: (file: File | null) => void;
}) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {props.hint}
      </Text>
      <Group gap="sm">
        <FileButton onChange={props.onFile} accept=".xlsx,.csv,.tsv,.txt">
          {(button) => (
            <Button {...button} variant="default" loading={props.isBusy}>
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
        value={props.text}
        onChange={({ currentTarget }) => props.onText(currentTarget.value)}
      />
    </>
  );
}

/** The step that chooses the field of each column. `missing` is a required field without a column. */
export function Columns(props: {
  table: Arranged & { name: string };
  fields: readonly Field[];
  missing: Field | undefined;
  onChange: (mapping: readonly string[]) => void;
}) {
  const { headings, rows, mapping, name } = props.table;
  const choices = props.fields.map(({ key, label }) => ({ value: key, label }));
  // A field is in one column: choosing it clears the column that had it.
  const choose = (at: number, key: string) =>
    props.onChange(mapping.map((old, each) => (each === at ? key : old === key ? '' : old)));
  const sample = (at: number) => rows.slice(0, 3).map(({ cells }) => cells[at] || '—');
  return (
    <>
      <Text size="sm">{t.imports.columns(name, rows.length)}</Text>
      {mapping.map((key, at) => (
        <NativeSelect
          // oxlint-disable-next-line react/no-array-index-key -- columns keep their order
          key={at}
          label={headings[at] || t.imports.column(at + 1)}
          description={sample(at).join(' · ')}
          data={[{ value: '', label: t.imports.skip }, ...choices]}
          value={key}
          onChange={({ currentTarget }) => choose(at, currentTarget.value)}
        />
      ))}
      {props.missing && <Notice kind="hint">{t.imports.needed(props.missing.label)}</Notice>}
    </>
  );
}

/** The step that shows which rows can be added, and the faults of the others. */
export function Checked(props: { report: Report<string>; table: Arranged; fields: readonly Field[] }) {
  const { bad, ready, failure } = props.report;
  const { headings, mapping } = props.table;
  const labelOf = (key = '') => props.fields.find((field) => field.key === key)?.label ?? '';
  const faultOf = ({ line, cells, fault = { field: '', text: '' } }: Line<string>) => {
    const cell = cells[mapping.indexOf(fault.field)] ?? '';
    return { id: line, name: t.imports.cell(line, labelOf(fault.field), cell), reason: fault.text };
  };
  const download = () => {
    const head = headings.map((heading, at) => heading || labelOf(mapping[at]));
    const lines = bad.map(({ cells, fault }) => [...cells, fault?.text ?? '']);
    saveCsv(t.imports.refusedFile, [[...head, t.imports.reason], ...lines]);
  };
  return (
    <>
      {failure && <Notice kind="error">{failure}</Notice>}
      {ready && <Notice kind="success">{ready}</Notice>}
      {bad.length > 0 && (
        <>
          <Notice kind="warning">
            {t.imports.refused(bad.length)} {bad.length > SHOWN && t.imports.first(SHOWN)}
          </Notice>
          <FaultList rows={bad.slice(0, SHOWN).map(faultOf)} />
          <Button variant="default" style={{ alignSelf: 'start' }} onClick={download}>
            {t.imports.download}
          </Button>
        </>
      )}
    </>
  );
}
