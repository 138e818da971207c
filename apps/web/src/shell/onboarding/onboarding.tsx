import { evidence } from '@propusk/contract/lock';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { rolesOf, useMe } from '../../common/me.tsx';
import { lazyOptional } from '../../ui/lazy.tsx';
import { onboarded } from './onboarded.ts';

// Most loads come after it was seen: its pictures are not among what they wait for. Should they not come, the page is
// there without them, and the next load asks again.
const OnboardingDialog = lazyOptional(() => import('./onboarding-dialog.tsx'), 'OnboardingDialog');

/** Four slides at a person's first visit; 'Understood!' marks them seen (spec section 4), Escape puts them off. */
export function Onboarding() {
  const [seen] = useState(onboarded.read);
  const [opened, setOpened] = useState(!seen);
  // The steps are the owner's: nobody else has evidence of them.
  const owner = rolesOf(useMe()).includes('CREATOR');
  const { data } = useQuery({ ...queryOptions(evidence, {}), enabled: owner && opened });
  if (seen) return null;
  function understood() {
    onboarded.store();
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
