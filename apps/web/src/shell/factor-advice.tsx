import { useState } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { lazyOptional } from '../ui/lazy.tsx';
import { factorSnooze } from './factor-snooze.ts';

// Without the file the page shows no advice; the next page load tries again.
const FactorBanner = lazyOptional(() => import('./factor-banner.tsx'), 'FactorBanner');

/**
 * Advises an ADMIN to turn on a second factor; 'later' hides the advice in this browser for 30 days. It suspends
 * while its file loads, so that the page below appears together with it and does not shift.
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
