import { evidence } from '@propusk/contract/protection';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { onboarded } from '../../state.ts';
import { lazyOptional } from '../../ui/lazy.tsx';

// A separate file, because most visits do not show the onboarding. If the file does not load, the page opens without
// the onboarding, and the next page load tries again.
const OnboardingDialog = lazyOptional(() => import('./onboarding-dialog.tsx'), 'OnboardingDialog');

/**
 * Shows the onboarding on a browser's first visit: four slides to an owner, one to an agent, none to an ADMIN. 'Understood!'
 * ends it for good (spec section 4), Escape postpones it.
 */
export function Onboarding() {
  const [seen] = useState(() => onboarded.read() === 'true');
  const [opened, setOpened] = useState(!seen);
  const roles = rolesOf(useMe());
  // The server reports the progress of a company's first steps only to an owner.
  const owner = roles.includes('CREATOR');
  const { data } = useQuery({ ...queryOptions(evidence, {}), enabled: owner && opened });
  if (seen || !(owner || roles.includes('USER'))) return null;
  function understood() {
    onboarded.store('true');
    setOpened(false);
  }
  return (
    <Suspense fallback={null}>
      <OnboardingDialog
        opened={opened}
        of={owner ? 'owner' : 'agent'}
        evidence={data}
        onClose={() => setOpened(false)}
        onUnderstood={understood}
      />
    </Suspense>
  );
}
