import { feedRecords } from '@propusk/contract/gateway-records';
import { recordSettings, setRecordSettings } from '@propusk/contract/record-settings';
import * as contract from '@propusk/contract/records';
import { asMember } from '../core/actor.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { keyOf } from '../throttle/budgets.ts';
import { exportRoute } from './export.ts';
import { readVisits } from './log.ts';
import { readSettings, writeSettings } from './settings.ts';
import { readCompanyFigures, readStatistics } from './statistics.ts';
import { endVisits, storeBatch } from './store.ts';
import { readAsOwner, readAsSupport, readLiveAsOwner, readSupport, setSupport } from './support.ts';

/** Routes for the access log. */
export function recordRoutes(routes: Slice): void {
  const { throttle, config } = routes;
  // Writes at most three batches of access records at once, because many gateways send their stored batches together after an
  // outage. A gateway that gets `busy` sends its batch again.
  const inTurn = createKeyedLimiter(3, 100);
  implement(routes, feedRecords, ({ body, write }) => inTurn(0, () => write((tx) => storeBatch(tx, body))));
  implement(routes, contract.listVisits, ({ actor, query, db }) => readAsOwner(db, asMember(actor), query));
  exportRoute(routes);
  implement(routes, contract.liveVisits, ({ actor, db }) => readLiveAsOwner(db, asMember(actor)));
  implement(routes, contract.endVisits, ({ actor, body, write }) =>
    write((tx) => endVisits(tx, asMember(actor), body)),
  );
  implement(routes, contract.statistics, ({ actor, query, db }) =>
    readStatistics(db, asMember(actor).companyId, query),
  );
  implement(routes, recordSettings, ({ actor, db }) => readSettings(db, asMember(actor), config.logDays));
  implement(routes, setRecordSettings, async ({ actor, body, ifMatch, write }) => {
    // Reads the rate limit before the transaction, because a read during the transaction would need a second connection.
    const wait = await throttle.wait(keyOf('recordsCut', asMember(actor).companyId));
    return write((tx) => writeSettings(tx, asMember(actor), body, ifMatch, { ...routes, wait }));
  });
  implement(routes, contract.myVisits, ({ actor, query, db }) => {
    const { companyId, userId } = asMember(actor);
    return readVisits(db, { companyId, userId }, query);
  });
  implement(routes, contract.getSupport, ({ actor, db }) => readSupport(db, asMember(actor).companyId));
  implement(routes, contract.setSupport, ({ actor, body, write }) =>
    write((tx) => setSupport(tx, asMember(actor), body.allowed)),
  );
  implement(routes, contract.companyFigures, ({ params, db }) => readCompanyFigures(db, params.id));
  implement(routes, contract.companyVisits, ({ actor, params, query, db }) =>
    readAsSupport(db, actor, params.id, query),
  );
}
