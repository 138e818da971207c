import type { Endpoint } from '@propusk/contract/endpoint';
import type { Actor } from '../core/actor.ts';
import { createCompanyQueue } from '../core/company-queue.ts';
import { AppError } from '../core/errors.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { type Db, HEAVY, type OpenDb, READS } from '../db/open.ts';

/** Queues and runs a read of an actor. @throws AppError busy; too_long for a heavy read */
export type Reads = <T>(actor: Actor, endpoint: Endpoint, read: (db: Db) => Promise<T>) => Promise<T>;

/** Queues and runs a write call, which is every call that is not a read. @throws AppError busy */
export type Calls = <T>(actor: Actor, call: () => Promise<T>) => Promise<T>;

/**
 * Creates the limits of concurrent write calls, per user and per company. A write call runs all its statements on the connection
 * pool of writes. Without the limits, one company could use all connections of this pool.
 */
export function createCalls(): Calls {
  const ofUser = createKeyedLimiter(8, 200);
  const ofCompany = createKeyedLimiter(32, 500);
  return ({ userId, companyId }, call) => ofUser(userId, () => ofCompany(companyId ?? 0, call));
}

const QUERY_CANCELED = '57014';

/**
 * Creates the queues of reads. The concurrent reads of a user and of a company are limited, and heavy reads have a separate pool.
 * Thus one company cannot delay the reads of another company, and heavy reads cannot delay ordinary reads.
 */
export function createReads(opened: Pick<OpenDb, 'reads' | 'heavy'>): Reads {
  const ordinary = {
    ...{ db: opened.reads, ofUser: createKeyedLimiter(4, 500) },
    queue: createCompanyQueue(4, 1_000, READS),
  };
  const heavy = {
    ...{ db: opened.heavy, ofUser: createKeyedLimiter(1, 100) },
    queue: createCompanyQueue(2, 100, HEAVY),
  };
  return async ({ userId, companyId }, endpoint, read) => {
    const { db, ofUser, queue } = endpoint.heavy ? heavy : ordinary;
    try {
      return await ofUser(userId, () => queue(companyId ?? 0, () => read(db)));
    } catch (error) {
      const tookLong = error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
      throw endpoint.heavy && tookLong ? new AppError('too_long') : error;
    }
  };
}
