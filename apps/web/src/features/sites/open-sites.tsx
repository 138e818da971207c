import { evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import classes from './protection-mark.module.css';

/** How many of the company's sites are open to everybody; when none is, how many were not checked. */
export function OpenSites() {
  const { data } = useQuery(queryOptions(evidence, {}));
  if (!data) return null;
  if (data.open > 0) return <Count tone="bad" text={t.sites.openToAll(data.open)} />;
  return data.unchecked > 0 && <Count tone="warning" text={t.sites.notChecked(data.unchecked)} />;
}

function Count({ tone, text }: { tone: 'bad' | 'warning'; text: string }) {
  return (
    <span className={classes.count} data-tone={tone}>
      {text}
    </span>
  );
}
