import { evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { Tag } from '../../ui/tags.tsx';

/** How many of the company's sites are open to everybody; when none is, how many were not checked. */
export function OpenSites() {
  const { data } = useQuery(queryOptions(evidence, {}));
  if (!data) return null;
  if (data.open > 0) return <Tag tone="bad">{t.sites.openToAll(data.open)}</Tag>;
  return data.unchecked > 0 && <Tag tone="warning">{t.sites.notChecked(data.unchecked)}</Tag>;
}
