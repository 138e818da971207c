import { health } from '@propusk/contract/health';
import { sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';

const LIMIT_MS = 1_500;

/**
 * The health check for load balancers and for processes that wait for the api to start: 200 if the database answers within 1.5 s,
 * else 503. During shutdown it replies 503.
 */
export function healthRoutes(routes: Slice): void {
  implement(routes, health, async ({ db }) => {
    if (routes.isDraining()) throw new AppError('unavailable', { detail: ['stopping'] });
    const answered = sql`select 1`.execute(db).then(
      () => true,
      () => false,
    );
    const timedOut = new Promise<false>((resolve) => setTimeout(resolve, LIMIT_MS, false).unref());
    if (!(await Promise.race([answered, timedOut]))) throw new AppError('unavailable');
    return { status: 'ok' as const };
  });
}
