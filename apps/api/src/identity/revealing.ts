import { type Actor, isAdmin } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import type { Db } from '../db/open.ts';
import { keyOf, times } from '../throttle/budgets.ts';
import type { Throttle } from '../throttle/throttle.ts';

/**
 * Runs the changes that users of one company request one after another, so that each change counts against the company's limit of
 * revealed accounts before the next change starts.
 */
const inTurn = createKeyedLimiter(1, 100);

/**
 * Runs a change that can fail with email_taken. This error reveals that an email address has an account, so a budget limits the
 * number of revealed addresses. With an exhausted budget, the change does not run. The budget does not apply to an ADMIN.
 * @param emails the email addresses that the error can reveal
 * @param change receives the maximum number of email addresses that its error may name
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
      const taken = [...(await findTaken(db, actor, emails)).values()];
      const named = Math.min(most, taken.filter(({ isOwn }) => !isOwn).length);
      if (named > 1) await attempt.charge(...keys.map((key) => times(key, named - 1)));
      throw named === 0 ? error : attempt.keep(error);
    }
  });
}

/** Finds the accounts of email addresses, by the address in lower case, and whether they belong to the actor's company. */
export async function findTaken(db: Db, { companyId }: Actor, emails: readonly string[]) {
  const columns = ['email', 'company_id'] as const;
  const rows = await db.selectFrom('users').select(columns).where('email', 'in', emails).execute();
  return new Map(
    rows.map(({ email, company_id }) => [email.toLowerCase(), { email, isOwn: company_id === companyId }]),
  );
}
