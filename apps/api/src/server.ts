import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import { endpoints } from '@propusk/contract/endpoints';
import { limits } from '@propusk/contract/limits';
import { watchReserve } from '@propusk/embedded-postgres/disk-reserve';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type * as z from 'zod/mini';
import { accessRoutes } from './access/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { companyRoutes } from './companies/routes.ts';
import { createCompanyQueue } from './core/company-queue.ts';
import { watchDatabase } from './db/watch.ts';
import { extensionRoutes } from './extension/routes.ts';
import { feedRoutes } from './feed/routes.ts';
import { createBatchLoader } from './http/batch-loader.ts';
import { bodyBudget } from './http/body-budget.ts';
import { serveConsole } from './http/console.ts';
import { serveDocumentation } from './http/documentation.ts';
import { answerError, answerUnreadable, validate } from './http/error-reply.ts';
import { createExports } from './http/exports.ts';
import { prepareShutdown } from './http/graceful-shutdown.ts';
import { readJsonBodies } from './http/json.ts';
import { createListener, shedLoad } from './http/listener.ts';
import type { Metrics } from './http/metrics.ts';
import { createCalls, createReads } from './http/reads.ts';
import { serialize } from './http/replies.ts';
import { limitRequestsPerTurn } from './http/request-turns.ts';
import { findSessions } from './http/sessions.ts';
import { createLinks } from './identity/links.ts';
import { createProver } from './identity/proof.ts';
import { identityRoutes } from './identity/routes.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { lockRoutes } from './lock/routes.ts';
import { startMailer } from './mail/mail.ts';
import { mailRoutes } from './mail/routes.ts';
import { createTeller } from './mail/tell-holder.ts';
import { startEndDigest } from './policies/end-digest.ts';
import { policyRoutes } from './policies/routes.ts';
import { createPace, type Pace } from './probe/pace.ts';
import { checkRoutes } from './probe/routes.ts';
import { startProbeRunner } from './probe/runner.ts';
import { createTransport, type TransportOptions } from './probe/transport.ts';
import { proxyRoutes } from './proxies/routes.ts';
import { recordRoutes } from './records/routes.ts';
import { registrationRoutes } from './registration/routes.ts';
import { siteRoutes } from './sites/routes.ts';
import type { Slice } from './slice.ts';
import { healthRoutes } from './state/health-routes.ts';
import { stateRoutes } from './state/routes.ts';
import { startPlanKeeper } from './tariff/keeper.ts';
import { tariffRoutes } from './tariff/routes.ts';
import { createThrottle } from './throttle/throttle.ts';
import { userRoutes } from './users/routes.ts';
import { vantageRoutes } from './vantage/routes.ts';

type Given =
  | 'config'
  | 'env'
  | 'opened'
  | 'encryption'
  | 'passwords'
  | 'gatewayKeys'
  | 'heartbeatMs'
  | 'vantageIdleS';

export interface ServerParts extends Pick<Slice, Given> {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The file that reserves space on the disk of the embedded database. */
  readonly reserveFile?: string | undefined;
  /** Replaces the system's name resolution for probes. */
  readonly lookup?: TransportOptions['lookup'];
  /** Replaces the rate limits of probes in tests. */
  readonly pace?: Pace | undefined;
  /** Whether this process runs queued probes, schedules due probes, and ends expired tariff plans. */
  readonly runsProbes: boolean;
}

const slices: readonly ((slice: Slice) => void)[] = [
  ...[
    healthRoutes,
    mailRoutes,
    identityRoutes,
    registrationRoutes,
    extensionRoutes,
    invitationRoutes,
    userRoutes,
    companyRoutes,
    stateRoutes,
    tariffRoutes,
  ],
  ...[proxyRoutes, siteRoutes, lockRoutes, checkRoutes, vantageRoutes],
  ...[policyRoutes, accessRoutes, auditRoutes, recordRoutes, feedRoutes],
];

/**
 * Creates the server of api and console. It does not listen yet.
 * @throws Error when an endpoint of the contract has no handler
 */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { metrics, opened, encryption, passwords, gatewayKeys, config } = parts;
  const app = fastify({
    loggerInstance: parts.logger,
    bodyLimit: limits.body,
    serverFactory: (handler) => createListener(handler, { ...config, metrics }),
    trustProxy: [...config.trustProxy],
    // On close, idle connections end at once and busy connections after their reply.
    forceCloseConnections: 'idle',
    // Requests that arrive during a shutdown are served, because a load balancer does not retry a POST after a 503.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: answerError,
    routerOptions: { caseSensitive: true, maxParamLength: limits.description },
  }) as unknown as FastifyInstance;
  const isDraining = prepareShutdown(app);
  limitRequestsPerTurn(app);
  shedLoad(app, config.memory, metrics);
  readJsonBodies(app);
  app.setValidatorCompiler<z.ZodMiniType>(validate);
  app.setSerializerCompiler<z.ZodMiniType>(serialize);
  app.decorateRequest('actor', null);
  app.setErrorHandler(answerError);
  const secure = config.publicUrl.protocol === 'https:';
  await app.register(helmet, {
    contentSecurityPolicy: { directives: policy(secure) },
    // HSTS is for https only: after one such header, a browser refuses http for a year.
    strictTransportSecurity: secure,
    xFrameOptions: { action: 'deny' },
  });
  // Compresses replies. It does not decompress requests, because that would let strangers consume CPU.
  await app.register(compress, { globalDecompression: false });
  if (config.documentation) await serveDocumentation(app, mark);

  const watch = watchDatabase(opened, app.log);
  app.addHook('onClose', async () => watch.close());
  const reserve = watchReserve(parts.reserveFile);
  app.addHook('onClose', async () => reserve.close());
  const throttle = createThrottle(opened.db);
  const mailer = startMailer({
    ...{ db: opened.db, encryption, log: parts.logger },
    ...{ smtpUrl: config.smtpUrl, from: config.mailFrom, folder: config.mailFolder },
  });
  app.addHook('onClose', () => mailer.close());
  const links = createLinks(config.publicUrl);
  const stopping = new AbortController();
  const outbound = {
    transport: createTransport({ ...config, keys: gatewayKeys, lookup: parts.lookup }),
    echoUrl: config.echoUrl,
    // A company has at most 4 of the 32 concurrent egress checks, so that its unresponsive proxies do not delay other companies.
    turns: createCompanyQueue(4, 50, 32),
    stop: stopping.signal,
  };
  const running = { db: opened.db, log: app.log };
  const runner = parts.runsProbes
    ? startProbeRunner({ ...running, encryption, outbound, pace: parts.pace ?? createPace() })
    : null;
  const keeper = parts.runsProbes
    ? startPlanKeeper({ ...running, outbox: mailer, page: links.page('/dashboard/creator/tariff') })
    : null;
  const digest = parts.runsProbes
    ? startEndDigest({
        ...running,
        outbox: mailer,
        page: links.page('/dashboard/creator/politics?ends=week'),
      })
    : null;
  // Aborts outbound calls first, because a connection that waits for an outbound call would delay the close.
  app.addHook('preClose', async () => {
    stopping.abort();
    await runner?.close();
    await keeper?.close();
    await digest?.close();
  });
  const slice: Slice = {
    ...parts,
    ...{ app, db: opened.db, throttle, outbox: mailer, teller: createTeller(throttle, mailer), links },
    ...{ outbound, wake: () => runner?.wake(), isDraining },
    ...{ isSilent: watch.isSilent, isShort: reserve.isShort },
    sessions: createBatchLoader((hashes) => findSessions(opened.db, hashes)),
    prove: createProver({ throttle, encryption, passwords, db: opened.db }),
    // Writes use at most six of the ten database connections. The other four are for the feed, health, sign-in and sessions.
    queue: createCompanyQueue(2, 100, 6),
    reads: createReads(opened),
    calls: createCalls(),
    exports: createExports(app),
    // The budget of large request bodies is an eighth of the memory, because parsing makes further copies of a body.
    bodyBudget: bodyBudget(config.memory / 8),
    // Bounded: the set of implemented endpoints is filled once at startup
    implemented: new Set(),
  };
  for (const register of slices) register(slice);
  const missing = endpoints.filter((endpoint) => !slice.implemented.has(endpoint));
  if (missing.length > 0) throw new Error(`not implemented: ${missing.map(({ path }) => path).join(', ')}`);
  await serveConsole(app, config);
  return app;
}

/** The product's logo, for the documentation. */
const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6e60"/>
<path d="M8.5 25V9.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V25" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
<circle cx="16" cy="15" r="2.4" fill="#8ff0d8"/>
<path d="M16 20.5V25" stroke="#8ff0d8" stroke-width="3" stroke-linecap="round"/></svg>`;

/** The Content-Security-Policy: only our own origin. `unsafe-inline` is for Mantine's style attributes. */
function policy(secure: boolean) {
  return {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'self'"],
    formAction: ["'self'"],
    // Over http, upgrade-insecure-requests would redirect every asset to https, where nothing listens.
    upgradeInsecureRequests: secure ? [] : null,
  };
}
