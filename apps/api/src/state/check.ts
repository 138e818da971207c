import type { StateLevel } from '@propusk/contract/state';
import type { StateMessage } from '@propusk/phrases/state';
import type { ServerConfig } from '../config.ts';
import type { Db } from '../db/open.ts';

/** One result of a check: a code with its parameters, rendered by `@propusk/phrases/state`. */
export type Finding = StateMessage & { readonly level: StateLevel };

export interface Examined {
  readonly config: ServerConfig;
  /** The environment of the process, including the settings of the gateway on the same machine. */
  readonly env: NodeJS.ProcessEnv;
  /** The database; null when the database does not answer. */
  readonly db: Db | null;
  /** Why the database does not answer. */
  readonly fault: string;
  /** This signal aborts at the common time limit of all checks. */
  readonly signal: AbortSignal;
}

/** Examines one aspect of the server. @returns its findings; none where the check does not apply */
export type Check<Needs extends keyof Examined = keyof Examined> = (
  examined: Pick<Examined, Needs>,
) => Promise<Finding[]>;
