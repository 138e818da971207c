import { rolesOf, useMe } from '../common/me.tsx';
import { lazyOptional } from '../ui/lazy.tsx';

// Without the file the page shows no band; the next page load tries again.
const ConfirmBanner = lazyOptional(() => import('./confirm-banner.tsx'), 'ConfirmBanner');

/** Asks the owner of an unconfirmed company to open the link from mail, above every dashboard page. */
export function ConfirmAdvice() {
  const me = useMe();
  if (me.company === null || me.company.confirmed || !rolesOf(me).includes('CREATOR')) return null;
  return <ConfirmBanner email={me.email} />;
}
