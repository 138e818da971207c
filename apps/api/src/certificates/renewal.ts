import { X509Certificate } from 'node:crypto';
import { type Certificate, expiryOf } from '@propusk/certificate/certificate-files';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { alone, type Repeating, repeat } from '../db/background.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Authority, issue } from './issue.ts';
import type { Order } from './settings.ts';
import { readStored, store } from './store.ts';

const DAY_MS = 86_400_000;
/** Renewal is due in the last third of a certificate's validity, but at most 30 days before its end. */
const RENEW_MS = 30 * DAY_MS;
const TICK_MS = 10_000;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 4 * 3_600_000;

interface CertificateState {
  /** The end of the certificate's validity in milliseconds since 1970; undefined without a certificate. */
  expiresAt: number | undefined;
  /** The number of failed certificate orders since the last successful order. */
  failures: number;
}

export interface RenewalOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly authority: Authority;
  readonly accountKey: string;
  readonly orders: readonly Order[];
  /** Milliseconds before the first retry. Each further retry doubles the delay. */
  readonly firstRetryMs?: number;
}

export interface Renewal extends Repeating {
  readonly states: ReadonlyMap<string, CertificateState>;
}

/**
 * Orders missing certificates, and renews certificates that expire soon; checks every 10 s. A failure is logged and retried
 * after 1 minute to 4 hours. Only one process at a time orders from the CA.
 */
export function startRenewal(options: RenewalOptions): Renewal {
  const { db, log, orders, firstRetryMs = FIRST_RETRY_MS } = options;
  // Spreads the renewals of many servers over time.
  const jitter = 1 + Math.random() / 10;
  // Bounded: filled once at startup
  const states = new Map<string, CertificateState>();
  for (const { name } of orders) states.set(name, { expiresAt: undefined, failures: 0 });
  // Bounded: filled once at startup
  const retryAt = new Map<string, number>();

  /** Reads the stored certificate. @returns false if it is missing or due for renewal */
  async function isFresh(order: Order, state: CertificateState): Promise<boolean> {
    const stored = await readStored(order);
    state.expiresAt = stored === null ? undefined : expiryOf(stored);
    return stored !== null && !isDue(stored, jitter);
  }

  async function renew(tx: Tx, order: Order, state: CertificateState): Promise<void> {
    const { name } = order;
    // Disables the idle timeout, because the transaction is idle until the CA issues the certificate.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    // Another process may have renewed the certificate while this process waited for the lock.
    if (await isFresh(order, state)) return;
    try {
      const certificate = await issue(options.authority, options.accountKey, name);
      await store(order, certificate);
      state.expiresAt = expiryOf(certificate);
      state.failures = 0;
      log.info({ name, expires: new Date(state.expiresAt) }, 'Certificate issued');
    } catch (error) {
      const waitMs = Math.min(firstRetryMs * 2 ** state.failures, LAST_RETRY_MS);
      state.failures += 1;
      retryAt.set(name, Date.now() + waitMs);
      const fault = error instanceof Error ? error.message : String(error);
      log.error({ name, fault, retryInS: Math.round(waitMs / 1000) }, 'Cannot get a certificate');
    }
  }

  const work = async (signal: AbortSignal) => {
    for (const order of orders) {
      const state = states.get(order.name);
      if (state === undefined || signal.aborted) return;
      const waits = Date.now() < (retryAt.get(order.name) ?? 0);
      if (!(await isFresh(order, state)) && !waits)
        await alone(db, 'certificates', (tx) => renew(tx, order, state));
    }
  };
  return {
    ...repeat(TICK_MS, work, (err) => log.warn({ err }, 'failed to look after certificates')),
    states,
  };
}

function isDue({ cert }: Certificate, jitter: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return Date.now() > to - Math.min(RENEW_MS, (to - from) / 3) * jitter;
}
