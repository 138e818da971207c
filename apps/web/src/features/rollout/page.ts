import { page } from '../../routes.ts';

// The navigation has no item for this page. The page of the company links to it.
export const rolloutPage = page('/dashboard/creator/rollout', () => import('./page.tsx'), 'RolloutPage');
