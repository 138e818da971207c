import { evidence } from '@propusk/contract/lock';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../api/queries.ts';
import { lazyOptional } from '../ui/lazy.tsx';

// Rarely there at all. Should it not come, the list of sites still has the marks.
const DriftBanner = lazyOptional(() => import('./drift-banner.tsx'), 'DriftBanner');

/** Sites of the owner's company whose lock has come off, above every page of the dashboard until it holds again. */
export function Drift() {
  const drifted = useQuery(queryOptions(evidence, {})).data?.drifted ?? [];
  // A probe that was begun here may find the last of them protected: its dialog stays open on that.
  const [ever, setEver] = useState(false);
  if (drifted.length > 0 && !ever) setEver(true);
  if (!ever) return null;
  return (
    <Suspense fallback={null}>
      <DriftBanner drifted={drifted} />
    </Suspense>
  );
}
