import { page } from '../../routes.ts';

// The navigation has no item for this page: the list of users and the first steps link to it.
export const rolloutPage = page('/dashboard/creator/rollout', () => import('./page.tsx'), 'RolloutPage');
