import type { ServerConfig } from './config.ts';
import type { OpenDb } from './db/open.ts';
import type { Routes } from './http/implement.ts';
import type { Links } from './identity/links.ts';
import type { Passwords } from './identity/passwords.ts';
import type { Outbox } from './mail/store.ts';
import type { Teller } from './mail/tell-holder.ts';
import type { Outbound } from './probe/transport.ts';

/** The dependencies of the routes of every slice. */
export interface Slice extends Routes {
  readonly config: ServerConfig;
  /** The environment variables of the process, for the checks of the installation's state. */
  readonly env: NodeJS.ProcessEnv;
  readonly opened: OpenDb;
  readonly passwords: Passwords;
  readonly links: Links;
  readonly outbox: Outbox;
  readonly teller: Teller;
  readonly outbound: Outbound;
  /** Wakes the probe runner, which then claims queued probes. */
  readonly wake: () => void;
  /** Whether this process is shutting down. */
  readonly isDraining: () => boolean;
  /** Milliseconds between the feed's heartbeats; the contract defines the default. */
  readonly heartbeatMs?: number | undefined;
  /** Seconds between two polls of an idle vantage; the slice `vantage` defines the default. */
  readonly vantageIdleS?: number | undefined;
}
