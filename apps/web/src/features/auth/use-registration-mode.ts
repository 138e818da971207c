import { type RegistrationMode, registrationMode } from '@propusk/contract/registration';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';

/** Who may register; null until the server has answered. After a failed call the form shows, and the server decides. */
export function useRegistrationMode(): RegistrationMode | null {
  const [mode, setMode] = useState<RegistrationMode | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    call(registrationMode, {}, leaving.signal).then(
      (reply) => setMode(reply.mode),
      () => leaving.signal.aborted || setMode('open'),
    );
    return () => leaving.abort();
  }, []);
  return mode;
}
