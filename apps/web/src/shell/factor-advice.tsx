import { useState } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { lazyOptional } from '../ui/lazy.tsx';
import { factorSnooze } from './factor-snooze.ts';

// Rarely there. Should it not come, the page is there without it, and the next load asks again.
const FactorBanner = lazyOptional(() => import('./factor-banner.tsx'), 'FactorBanner');

/**
 * Whoever manages the platform is advised to have a second factor; 'later' is not again on this browser for 30 days. While
 * it is loaded it suspends, so that the page below comes together with it and does not move away from under a pointer.
 */
export function FactorAdvice() {
  const me = useMe();
  const [later, setLater] = useState(() => factorSnooze.isPut(me.id));
  if (me.secondFactor || later || !rolesOf(me).includes('ADMIN')) return null;
  function putOff() {
    factorSnooze.put(me.id);
    setLater(true);
  }
  return <FactorBanner onLater={putOff} />;
}
