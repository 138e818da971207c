import { type Actor, isAdmin } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import type { Db } from '../db/open.ts';
import { keyOf, times } from '../throttle/budgets.ts';
import type { Throttle } from '../throttle/throttle.ts';

/** Runs the changes of one company one after another, so that each change sees what the previous change charged to the budget. */
const inTurn = createKeyedLimiter(1, 100);

/**
 * Runs a change that may throw email_taken. This error reveals that an account exists, so a budget limits how many accounts it
 * reveals. If the budget is exhausted, the change does not run. An ADMIN, who sees all accounts, is not limited.
 * @param emails the addresses that the error may reveal
 * @param change receives the maximum number of addresses that its error may name
 * @throws what `change` throws; AppError too_many_requests
 */
export async function revealing<T>(
  { throttle, db }: { throttle: Throttle; db: Db },
  actor: Actor,
  emails: readonly string[],
  change: (most: number) => Promise<T>,
): Promise<T> {
  const { userId, companyId } = actor;
  if (isAdmin(actor)) return change(Number.POSITIVE_INFINITY);
  const keys = [
    keyOf('takenUser', userId),
    ...(companyId === null ? [] : [keyOf('takenCompany', companyId)]),
  ];
  return inTurn(companyId ?? -userId, async () => {
    await using attempt = await throttle.begin({ keys });
    const most = 1 + Math.min(...keys.map(attempt.left));
    try {
      return await change(most);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'email_taken')) throw error;
      const named = Math.min(most, await countTaken(db, actor, emails));
      if (named > 1) await attempt.charge(...keys.map((key) => times(key, named - 1)));
      throw named === 0 ? error : attempt.keep(error);
    }
  });
}

/** Counts the addresses that have an account outside the actor's company. */
async function countTaken(db: Db, { companyId }: Actor, emails: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('email', 'in', emails)
    .where('company_id', 'is distinct from', companyId)
    .executeTakeFirstOrThrow();
  return count;
}
