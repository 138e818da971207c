import { health } from '@propusk/contract/health';
import { sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import { implement, type Routes } from '../http/implement.ts';

const LIMIT_MS = 1_500;

/**
 * 200 while the database answers within a second and a half, else 503: what a balancer and the start ask.
 * @param isDraining whether this process is about to stop: then it is 503 as well
 */
export function healthRoutes(routes: Routes, isDraining: () => boolean): void {
  implement(routes, health, async ({ db }) => {
    if (isDraining()) throw new AppError('unavailable', { detail: ['stopping'] });
    const asked = sql`select 1`.execute(db).then(
      () => true,
      () => false,
    );
    const late = new Promise<false>((resolve) => setTimeout(resolve, LIMIT_MS, false).unref());
    if (!(await Promise.race([asked, late]))) throw new AppError('unavailable');
    return { status: 'ok' as const };
  });
}
