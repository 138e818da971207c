import { Button, Text } from '@mantine/core';
import type { Endpoint } from '@propusk/contract/endpoint';
import * as t from '@propusk/phrases/console';
import { IconFileDownload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { formatBytes } from '../entities/visit/visit-text.ts';
import { saveFile } from '../ui/save-file.ts';
import { type Format, readExport } from './export-file.ts';

/**
 * Downloads the filtered rows of a call as a file, with its progress and a button that cancels it.
 * @param props.starts starts the export at once, because the user has already asked for its only format
 */
export function ExportButton(props: {
  endpoint: Endpoint;
  query: object;
  formats: readonly Format[];
  starts?: boolean;
}) {
  const [progress, setProgress] = useState<string | null>(null);
  const [failed, setFailed] = useState<{ format: Format; reason: string } | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  async function run(format: Format) {
    const { signal } = (stop.current = new AbortController());
    setFailed(null);
    const show = (rows: number, bytes: number) =>
      setProgress(t.statistics.export.progress(rows, formatBytes(bytes)));
    show(0, 0);
    try {
      saveFile(await readExport(props.endpoint, props.query, format, show, signal));
    } catch (error) {
      const reason = error instanceof ApiError ? error.message : t.statistics.export.cut;
      if (!signal.aborted) setFailed({ format, reason });
    }
    setProgress(null);
  }
  const start = useEffectEvent(() => {
    if (props.starts && props.formats[0]) void run(props.formats[0]);
  });
  useEffect(() => {
    // The export starts in a separate task, so that the effect itself sets no state.
    const timer = window.setTimeout(start);
    return () => window.clearTimeout(timer);
  }, []);
  if (progress !== null) {
    return (
      <>
        <Button variant="default" onClick={() => stop.current?.abort()}>
          {t.statistics.export.cancel}
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
          {t.statistics.export[format]}
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
