import * as t from '@propusk/phrases/console';
import { Notice } from '../../ui/notice.tsx';

/** Warns that the shown data could not be refreshed, and names the time of the last refresh. Shows nothing without a failure. */
export function Old(props: {
  query: { data: unknown; error: Error | null; dataUpdatedAt: number };
  zone: string;
}) {
  const { data, error, dataUpdatedAt } = props.query;
  if (data === undefined || error === null) return null;
  const format = new Intl.DateTimeFormat('ru', { timeStyle: 'short', timeZone: props.zone });
  return (
    <Notice kind="warning" mb="md">
      {t.statistics.old(format.format(dataUpdatedAt))} {error.message}
    </Notice>
  );
}
