import type { Dial, StartDial } from '@propusk/dial/dial';
import type { PipelineQueues } from '@propusk/overload/pipeline-queue';
import type { UnfinishedHeads } from '@propusk/overload/unfinished-heads';
import type { KeptConnections } from '../http/origin-undici.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { ActiveRequests } from '../policy/active-requests.ts';
import type { Caller } from '../policy/authenticate.ts';
import type { AccessRecords } from '../records/access-records.ts';
import type { RefusalLog } from './refusal-log.ts';

/** The dependencies that all client connections of a gateway share. */
export interface ProxyContext {
  readonly authenticate: (header: string | undefined) => Caller;
  readonly activeRequests: ActiveRequests;
  readonly dial: Dial;
  readonly startDial: StartDial;
  readonly kept: KeptConnections;
  /** This gateway's name in Via. */
  readonly via: string;
  readonly consoleUrl: string;
  readonly tunnelIdleMs: number;
  readonly log: Log;
  readonly refusals: RefusalLog;
  readonly metrics: Metrics;
  readonly records: AccessRecords;
  /** Whether each response outside a tunnel closes its connection. */
  readonly draining: () => boolean;
  /** Whether requests are refused. */
  readonly stopping: () => boolean;
  /** Passes a socket's bytes to Node's HTTP parser, one request at a time. */
  readonly http: PipelineQueues;
  readonly heads: UnfinishedHeads;
}
