import { createPairing, pair } from '@propusk/contract/auth';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { addPairingCode, findPairingCode, pairingDead, redeemPairingCode } from './pairing-store.ts';

/** Signs the extension in from the console by a pairing code. */
export function pairingRoutes(routes: Routes, limits: Limits): void {
  implement(routes, createPairing, async ({ actor, write }) => {
    await limits.countPairing(actor.userId);
    return write((tx) => addPairingCode(tx, actor));
  });

  implement(routes, pair, ({ body, address, agent, db, write }) =>
    limits.redeeming('pairingCode', address, async () => {
      const found = await findPairingCode(db, body.code);
      if (found === undefined) throw pairingDead();
      return {
        token: await write((tx) => redeemPairingCode(tx, found.user_id, body.code, { address, agent })),
      };
    }),
  );
}
