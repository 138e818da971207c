import { evidence } from '@propusk/contract/protection';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { rolesOf, useMe } from '../../common/me.tsx';
import { onboarded } from '../../state.ts';
import { lazyOptional } from '../../ui/lazy.tsx';

// Most visits come after the onboarding: its pictures are a separate file. Without the file the page opens without
// it, and the next page load tries again.
const OnboardingDialog = lazyOptional(() => import('./onboarding-dialog.tsx'), 'OnboardingDialog');

/** Four slides on a user's first visit; 'Understood!' marks them seen (spec section 4), Escape postpones them. */
export function Onboarding() {
  const [seen] = useState(() => onboarded.read() === 'true');
  const [opened, setOpened] = useState(!seen);
  // Only an owner has onboarding progress.
  const owner = rolesOf(useMe()).includes('CREATOR');
  const { data } = useQuery({ ...queryOptions(evidence, {}), enabled: owner && opened });
  if (seen) return null;
  function understood() {
    onboarded.store('true');
    setOpened(false);
  }
  return (
    <Suspense fallback={null}>
      <OnboardingDialog
        opened={opened}
        evidence={data}
        onClose={() => setOpened(false)}
        onUnderstood={understood}
      />
    </Suspense>
  );
}
