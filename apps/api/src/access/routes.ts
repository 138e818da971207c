import { reachable } from '@propusk/access/decide';
import { gatewayUsername, signGatewayToken } from '@propusk/access/gateway-secret';
import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { asMember, type Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { demandConfirmed } from '../db/company.ts';
import { readMoment, readSnapshot, type SnapshotSource } from '../feed/store.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { indexOf, isoOrNull } from './explain.ts';
import { lossRoutes } from './loss-routes.ts';
import { noteAccessFetched } from './store.ts';
import { whyRoutes } from './why-routes.ts';

const TOKEN_SECONDS = 24 * 60 * 60;

/** `GET /me/access`: the routing settings of the user's client, and a gateway token. */
export function accessRoutes(routes: Slice): void {
  implement(routes, myAccess, async ({ actor, db, query }) => {
    const member = asMember(actor);
    const source = { db, encryption: routes.encryption, log: routes.app.log };
    const access = await grantAccess(source, member, routes, query.client);
    // If the session ended while the gateway token was signed, `noteAccessFetched` throws, and the token is not
    // sent. Otherwise `noteAccessFetched` records that a later sign-out must revoke the token.
    await noteAccessFetched(db, member, query);
    return access;
  });
  whyRoutes(routes);
  lossRoutes(routes);
}

/**
 * Returns the routing settings of the user's client and a gateway token. The settings result from the snapshot
 * and the access rule that the gateway uses, so that client and gateway always agree.
 */
async function grantAccess(
  source: SnapshotSource,
  actor: Member,
  { config, gatewayKeys }: Slice,
  client: string | undefined,
): Promise<GatewayAccess> {
  await demandConfirmed(source.db, actor.companyId);
  const snapshot = await readSnapshot(source, actor.companyId);
  const user = snapshot?.users.find(({ id }) => id === actor.userId);
  if (snapshot === null || user === undefined) throw new AppError('unauthorized');
  const index = indexOf(snapshot);
  const now = await readMoment(source.db);
  const { allSites, sites, times } = reachable(index, user.id, now) ?? {
    allSites: false,
    sites: [],
    times: [],
  };
  const expires = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const url = config.gatewayUrl;
  const secure = url.protocol === 'https:';
  return {
    version: snapshot.version,
    gateway: {
      scheme: secure ? 'https' : 'http',
      host: url.hostname,
      port: Number(url.port) || (secure ? 443 : 80),
    },
    username: gatewayUsername(user.id),
    password: signGatewayToken(gatewayKeys, { userId: user.id, epoch: user.epoch, expires, client }),
    expiresAt: new Date(expires * 1000).toISOString(),
    allSites,
    sites,
    times: times.map(({ until, ...site }) => ({ ...site, until: isoOrNull(until) })),
    bypass: [config.publicUrl.hostname],
  };
}
