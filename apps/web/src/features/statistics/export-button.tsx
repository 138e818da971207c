import { Button } from '@mantine/core';
import type { VisitQuery } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconFileDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../common/use-attempt.ts';
import { toastFailure, toastSuccess } from '../../ui/toast.ts';
import { csvOf, MOST_ROWS, readRows } from './csv.ts';
import classes from './statistics.module.css';

/** Downloads the filtered access log as CSV, with its progress and a button that stops it. */
export function ExportButton({ query }: { query: Partial<VisitQuery> }) {
  const [count, setCount] = useState<number | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  async function run() {
    const { signal } = (stop.current = new AbortController());
    setCount(0);
    try {
      const { rows, complete } = await readRows(query, setCount, signal);
      save(csvOf(rows));
      if (!complete) toastSuccess(t.statistics.csvMost(MOST_ROWS));
    } catch (error) {
      if (!signal.aborted) toastFailure(messageOf(error));
    }
    setCount(null);
  }
  if (count === null) {
    return (
      <Button variant="default" leftSection={<IconFileDownload size={16} aria-hidden />} onClick={run}>
        {t.statistics.csv}
      </Button>
    );
  }
  return (
    <>
      <Button variant="default" onClick={() => stop.current?.abort()}>
        {t.statistics.csvStop}
      </Button>
      <output className={classes.quiet}>{t.statistics.csvRows(count)}</output>
    </>
  );
}

function save(text: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'access-log.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
