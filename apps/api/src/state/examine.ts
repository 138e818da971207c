import type { Check, Examined, Finding } from './check.ts';
import { checkClock, checkDisk, checkKeys, checkSettings } from './machine-checks.ts';
import { checkConsole, checkGateway, checkNames } from './network-checks.ts';
import { checkOwnMachine } from './own-machine-check.ts';
import {
  checkBackups,
  checkDatabase,
  checkEgress,
  checkLoad,
  checkLosses,
  checkMail,
  checkOutside,
} from './work-checks.ts';

const LIMIT_MS = 25_000;

const checks: readonly Check[] = [
  ...[checkConsole, checkDatabase, checkGateway, checkKeys, checkNames, checkOutside],
  ...[
    checkMail,
    checkBackups,
    checkEgress,
    checkLoad,
    checkLosses,
    checkOwnMachine,
    checkDisk,
    checkClock,
    checkSettings,
  ],
];

/** Runs all checks concurrently, for at most 25 s. A check that throws gives a finding of level `unknown`. */
export async function examine(examined: Omit<Examined, 'signal'>): Promise<Finding[]> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const found = await Promise.all(
    checks.map((check) =>
      check({ ...examined, signal }).catch((error): Finding[] => [
        { level: 'unknown', code: 'check_failed', params: { fault: String(error) } },
      ]),
    ),
  );
  return found.flat();
}
