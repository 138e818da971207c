import { evidence } from '@propusk/contract/protection';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../api/queries.ts';
import { lazyOptional } from '../ui/lazy.tsx';

// Without the banner the site list still shows the verdicts.
const DriftBanner = lazyOptional(() => import('./drift-banner.tsx'), 'DriftBanner');

/** Sites of the owner's company that lost their protection, above every dashboard page. */
export function Drift() {
  const drifted = useQuery(queryOptions(evidence, {})).data?.drifted ?? [];
  // A probe started here may clear the last entry: its dialog stays open.
  const [ever, setEver] = useState(false);
  if (drifted.length > 0 && !ever) setEver(true);
  if (!ever) return null;
  return (
    <Suspense fallback={null}>
      <DriftBanner drifted={drifted} />
    </Suspense>
  );
}
