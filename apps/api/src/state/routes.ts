import { platformState } from '@propusk/contract/state';
import { sayState } from '@propusk/phrases/state';
import manifest from '../../package.json' with { type: 'json' };
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import type { Finding } from './check.ts';
import { examine } from './examine.ts';

/** `GET /state`: the findings of all checks, for an ADMIN. One examination runs at a time. */
export function stateRoutes(routes: Slice): void {
  const { config, env } = routes;
  const turns = createKeyedLimiter(1, 10);
  implement(routes, platformState, async ({ db }) => {
    const findings = await turns(0, () => examine({ config, env, db, fault: '' }));
    return { version: manifest.version, findings: findings.map(sayFinding) };
  });
}

const sayFinding = (finding: Finding) => ({
  code: finding.code,
  level: finding.level,
  ...sayState(finding),
});
