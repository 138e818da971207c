import { Button, NativeSelect } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { DataTable } from '../ui/data-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { saveCsv } from '../ui/save-file.ts';
import type { Arranged, Field } from './arrange.ts';
import type { Line, Report } from './check.ts';

const SHOWN = 100;

/** The step that chooses the field of each column. */
export function Columns({
  table,
  fields,
  onChange,
}: {
  table: Arranged;
  fields: readonly Field[];
  onChange: (mapping: readonly string[]) => void;
}) {
  const { headings, rows, mapping } = table;
  const choices = fields.map(({ key, label }) => ({ value: key, label }));
  // A field is in one column: choosing it clears the column that had it.
  const choose = (at: number, key: string) =>
    onChange(mapping.map((old, each) => (each === at ? key : old === key ? '' : old)));
  return mapping.map((key, at) => (
    <NativeSelect
      // oxlint-disable-next-line react/no-array-index-key -- columns keep their order
      key={at}
      label={headings[at] || t.imports.column(at + 1)}
      description={rows
        .slice(0, 3)
        .map(({ cells }) => cells[at] || '—')
        .join(' · ')}
      data={[{ value: '', label: t.imports.skip }, ...choices]}
      value={key}
      onChange={({ currentTarget }) => choose(at, currentTarget.value)}
    />
  ));
}

/** The step that shows which rows can be added, and the faults of the others. */
export function Checked<Value>({
  report: { bad, ready, failure },
  table: { headings, mapping },
  fields,
}: {
  report: Report<Value>;
  table: Arranged;
  fields: readonly Field[];
}) {
  const labelOf = (key = '') => fields.find((field) => field.key === key)?.label ?? '';
  const cellOf = ({ cells, fault }: Line<Value>) =>
    `${labelOf(fault?.field)}: ${cells[mapping.indexOf(fault?.field ?? '')] ?? ''}`;
  const columns = [
    {
      key: 'line',
      title: t.imports.line,
      width: '112px',
      main: true,
      render: ({ line }: Line<Value>) => t.imports.lineOf(line),
    },
    { key: 'cell', title: t.imports.cell, render: cellOf },
    { key: 'reason', title: t.imports.reason, render: ({ fault }: Line<Value>) => fault?.text },
  ];
  const download = () => {
    const head = headings.map((heading, at) => heading || labelOf(mapping[at]));
    const lines = bad.map(({ cells, fault }) => [...cells, fault?.text ?? '']);
    saveCsv(t.imports.refusedFile, [[...head, t.imports.reason], ...lines]);
  };
  return (
    <>
      {failure !== undefined && <Notice kind="error">{failure}</Notice>}
      {ready && <Notice kind="success">{ready}</Notice>}
      {bad.length > 0 && (
        <>
          <Notice kind="warning">
            {t.imports.refused(bad.length)} {bad.length > SHOWN && t.imports.first(SHOWN)}
          </Notice>
          <DataTable
            label={t.imports.refused(bad.length)}
            columns={columns}
            rows={bad.slice(0, SHOWN).map((row) => ({ ...row, id: row.line }))}
            skeletonRows={0}
            fallback={null}
          />
          <Button variant="default" style={{ alignSelf: 'start' }} onClick={download}>
            {t.imports.download}
          </Button>
        </>
      )}
    </>
  );
}
