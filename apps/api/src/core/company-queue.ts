import { createFairQueue } from './fair-queue.ts';
import { createKeyedLimiter, type KeyedLimiter } from './keyed-limiter.ts';

/** At most this many tasks wait, over all companies; further tasks throw AppError busy. */
const WAITING_OF_ALL = 1_000;

/**
 * Creates a queue that serves companies round robin. The next task of a company waits for at most one task of
 * each other company. The key of a task is the id of its company; 0 is the platform.
 * @param ofCompany the maximum number of concurrent tasks of one company
 * @param waiting the maximum number of queued tasks of one company; further tasks throw AppError busy
 * @param ofAll the maximum number of concurrent tasks of all companies
 */
export function createCompanyQueue(ofCompany: number, waiting: number, ofAll: number): KeyedLimiter {
  const own = createKeyedLimiter(ofCompany, waiting);
  const all = createFairQueue({ atOnce: ofAll, ofLane: ofCompany, ofAll: WAITING_OF_ALL });
  return (companyId, work) => own(companyId, () => all({ known: true, line: `company ${companyId}` }, work));
}
