import { createPairing, pair } from '@propusk/contract/auth';
import { implement, type Routes } from '../http/implement.ts';
import { addPairingCode, redeemPairingCode } from './pairing-store.ts';

/** Signs the extension in from the console by a pairing code. */
export function pairingRoutes(routes: Routes): void {
  implement(routes, createPairing, async ({ actor, write }) => {
    await routes.throttle.charge('pairing', actor.userId);
    return write((tx) => addPairingCode(tx, actor));
  });

  implement(routes, pair, ({ body, address, agent, write }) =>
    routes.throttle.redeeming('pairingCode', address, async () => ({
      token: await write((tx) => redeemPairingCode(tx, body.code, { address, agent })),
    })),
  );
}
