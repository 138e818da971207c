import * as contract from '@propusk/contract/vantages';
import { AppError } from '../core/errors.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { type SignedParts, verify } from './signature.ts';
import { addVantage, findKey, findVantages, pairVantage, recordCall, removeVantage } from './store.ts';
import { saveReport, takeTask } from './task-store.ts';

/** Seconds between two calls of a vantage while probes that use this vantage are pending. */
const BUSY_S = 1;

/** A shell command that downloads the vantage program, pairs the machine, and runs the program until it is stopped. */
const pairingCommand = ({ origin }: URL, code: string) =>
  `curl -fsS ${origin}/vantage.sh -o ~/vantage.sh && sh ~/vantage.sh pair ${origin} ${code} && sh ~/vantage.sh run`;

/** Routes that list, pair and delete vantages, and the signed calls of the vantage program. */
export function vantageRoutes(routes: Slice): void {
  const { encryption, throttle, config, wake, vantageIdleS: idleS = 5 } = routes;

  implement(routes, contract.listVantages, ({ actor, db }) => findVantages(db, actor));

  implement(routes, contract.addVantage, async ({ actor, body, write }) => {
    await throttle.charge('pairing', actor.userId);
    const { id, code, expiresAt } = await write((tx) => addVantage(tx, actor, body.name));
    return { id, expiresAt, command: pairingCommand(config.publicUrl, code) };
  });

  implement(routes, contract.deleteVantage, ({ actor, params, write }) =>
    write((tx) => removeVantage(tx, actor, params.id)),
  );

  implement(routes, contract.pairVantage, ({ body, address, write }) =>
    throttle.redeeming('vantage', address, () => write((tx) => pairVantage(tx, body.code, encryption))),
  );

  implement(routes, contract.takeVantageWork, async ({ body, address, db, write }) => {
    const { vantage: id, count, signature } = body;
    await checkSigned(db, address, ['work', id, count], signature);
    const { task, pending } = await write(async (tx) =>
      takeTask(tx, id, await recordCall(tx, { id, count, address })),
    );
    if (pending > 0) wake();
    return {
      task: task?.id ?? '',
      plan: Buffer.from(task?.plan ?? '').toString('base64'),
      wait: pending > 0 ? BUSY_S : idleS,
      pending,
    };
  });

  implement(routes, contract.reportVantage, async ({ body, address, db, write }) => {
    const { vantage: id, count, signature, task, group, results } = body;
    await checkSigned(db, address, ['report', id, count, task, group, results], signature);
    await write(async (tx) => {
      await recordCall(tx, { id, count, address });
      await saveReport(tx, id, body);
    });
  });

  /** @throws AppError unauthorized for a wrong signature; too_many_requests after many wrong signatures from one IP address */
  async function checkSigned(
    db: Slice['db'],
    address: string,
    parts: SignedParts,
    signature: string,
  ): Promise<void> {
    await throttle.redeeming('vantage', address, async () => {
      const key = await findKey(db, parts[1], encryption);
      if (key === null || !verify(key, parts, signature)) throw new AppError('unauthorized');
    });
  }
}
