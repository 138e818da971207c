import type { RecordRow } from '@propusk/contract/gateway-records';

/** Lost records. Times are in ms since 1970. */
export interface Loss {
  /** 0 for `killed`: nobody counted them. */
  readonly count: number;
  readonly reason: 'spool' | 'rejected' | 'killed' | 'access_log';
  /** The company of the records; 0 when it is unknown. */
  readonly companyId: number;
  readonly from: number;
  readonly to: number;
}

/** Adds two losses of one company. */
export function both(loss: Loss, other: Loss | null): Loss {
  if (other === null) return loss;
  const [from, to] = [Math.min(loss.from, other.from), Math.max(loss.to, other.to)];
  return { ...loss, count: loss.count + other.count, from, to };
}

/** The row that reports a loss. @param number of the record within the run */
export function lossRow({ count, reason, companyId, from, to }: Loss, number: number): RecordRow {
  const ms = Math.max(0, to - from);
  return [number, 'loss', from, ms, 0, companyId, 0, 0, 0, 0, '', '', 0, reason, count, 0, 0, 0, '', 0];
}
