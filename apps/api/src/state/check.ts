import type { StateLevel } from '@propusk/contract/state';
import type { StateMessage } from '@propusk/phrases/state';
import type { ServerConfig } from '../config.ts';
import type { Db } from '../db/open.ts';

/** What a check found: a code with its parameters, rendered by `@propusk/phrases/state`. */
export type Finding = StateMessage & { readonly level: StateLevel };

export interface Examined {
  readonly config: ServerConfig;
  /** The settings of the process, also those of the gateway on the same machine. */
  readonly env: NodeJS.ProcessEnv;
  /** Null when it does not answer. */
  readonly db: Db | null;
  /** Why it does not answer. */
  readonly fault: string;
  /** Aborted when the time of all checks is over. */
  readonly signal: AbortSignal;
}

/** @returns its findings; none where it does not apply */
export type Check<Needs extends keyof Examined = keyof Examined> = (
  examined: Pick<Examined, Needs>,
) => Promise<Finding[]>;
