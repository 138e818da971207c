import { Button, Text } from '@mantine/core';
import type { Endpoint } from '@propusk/contract/endpoint';
import * as t from '@propusk/phrases/console';
import { IconFileDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { saveFile } from '../ui/save-file.ts';
import type { Format } from './export-file.ts';

const labels = { csv: t.list.csv, jsonl: t.list.jsonl };

/** Downloads the filtered rows of a call as a file, with its progress and a button that cancels it. */
export function ExportButton(props: { endpoint: Endpoint; query: object; formats: readonly Format[] }) {
  const [progress, setProgress] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ format: Format; reason: string } | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  async function run(format: Format) {
    const { signal } = (stop.current = new AbortController());
    setFailed(null);
    setProgress('');
    try {
      const { readExport } = await import('./export-file.ts');
      saveFile(await readExport(props.endpoint, props.query, format, setProgress, signal));
    } catch (error) {
      const reason = error instanceof ApiError ? error.message : t.list.cut;
      if (!signal.aborted) setFailed({ format, reason });
    }
    setProgress(null);
  }
  if (progress !== null) {
    return (
      <>
        <Button variant="default" onClick={() => stop.current?.abort()}>
          {t.list.cancel}
        </Button>
        <Text component="output" c="dimmed">
          {progress}
        </Text>
      </>
    );
  }
  return (
    <>
      {props.formats.map((format) => (
        <Button
          key={format}
          variant="default"
          leftSection={<IconFileDownload size={16} aria-hidden />}
          onClick={() => run(format)}
        >
          {labels[format]}
        </Button>
      ))}
      {failed && (
        <>
          <Text role="alert" c="error">
            {failed.reason}
          </Text>
          <Button variant="default" onClick={() => run(failed.format)}>
            {t.common.retry}
          </Button>
        </>
      )}
    </>
  );
}
