import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import type { GatewayKeys } from '@propusk/access/gateway-secret';
import { endpoints } from '@propusk/contract/endpoints';
import { limits } from '@propusk/contract/limits';
import { watchReserve } from '@propusk/embedded-postgres/disk-reserve';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type * as z from 'zod/mini';
import { accessRoutes } from './access/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { companyRoutes } from './companies/routes.ts';
import type { Config } from './config.ts';
import { createKeyedLimiter } from './core/keyed-limiter.ts';
import type { OpenDb } from './db/open.ts';
import { findSessions } from './db/sessions.ts';
import { watchDatabase } from './db/watch.ts';
import type { Encryption } from './encryption.ts';
import { feedRoutes } from './feed/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { createBatchLoader } from './http/batch-loader.ts';
import { bodyBudget } from './http/body-budget.ts';
import { serveConsole } from './http/console.ts';
import { serveDocumentation } from './http/documentation.ts';
import { answerError, answerUnreadable, validate } from './http/error-reply.ts';
import { prepareShutdown } from './http/graceful-shutdown.ts';
import type { Routes } from './http/implement.ts';
import { readJsonBodies } from './http/json.ts';
import { createLimits } from './http/limits.ts';
import { createListener, shedLoad } from './http/listener.ts';
import type { Metrics } from './http/metrics.ts';
import { serialize } from './http/replies.ts';
import { limitRequestsPerTurn } from './http/request-turns.ts';
import { lockRoutes } from './lock/routes.ts';
import { createMailer } from './mail/mail.ts';
import { onboardingProgressRoutes } from './onboarding-progress/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { checkRoutes } from './probe/routes.ts';
import { startProbeRunner } from './probe/runner.ts';
import { createTransport, type TransportOptions } from './probe/transport.ts';
import { proxyRoutes } from './proxies/routes.ts';
import { siteRoutes } from './sites/routes.ts';
import { userRoutes } from './users/routes.ts';

export interface ServerParts {
  readonly config: Pick<
    Config,
    | 'publicUrl'
    | 'gatewayUrl'
    | 'echoUrl'
    | 'allowNetworks'
    | 'hosts'
    | 'egress'
    | 'dns'
    | 'smtpUrl'
    | 'mailFrom'
    | 'mailFolder'
    | 'trustProxy'
    | 'sockets'
    | 'memory'
    | 'documentation'
  >;
  readonly opened: OpenDb;
  readonly encryption: Encryption;
  readonly gatewayKeys: GatewayKeys;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The file that keeps room on the disk of our own database. */
  readonly reserveFile?: string | undefined;
  /** Milliseconds between the feed's heartbeats, when not the contract's. */
  readonly heartbeatMs?: number;
  /** How probes resolve names, when not as the system does. */
  readonly lookup?: TransportOptions['lookup'];
  /** Whether this process runs the probes that wait in the database, and looks for those that are due. */
  readonly runsProbes: boolean;
}

/**
 * The api and the console as one server, not listening yet.
 * @throws Error when a call of the contract has no handler
 */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { metrics } = parts;
  const app = fastify({
    loggerInstance: parts.logger,
    bodyLimit: limits.body,
    serverFactory: (handler) => createListener(handler, { ...parts.config, metrics }),
    trustProxy: [...parts.config.trustProxy],
    // On close idle connections end at once, busy ones after their answer.
    forceCloseConnections: 'idle',
    // What still arrives on a connection while we stop is answered like any other: a balancer repeats no POST for a 503.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: answerError,
    routerOptions: { caseSensitive: true, maxParamLength: limits.description },
  }) as unknown as FastifyInstance;
  const isDraining = prepareShutdown(app);
  limitRequestsPerTurn(app);
  shedLoad(app, parts.config.memory, metrics);
  readJsonBodies(app);
  app.setValidatorCompiler<z.ZodMiniType>(validate);
  app.setSerializerCompiler<z.ZodMiniType>(serialize);
  app.decorateRequest('actor', null);
  app.setErrorHandler(answerError);
  const secure = parts.config.publicUrl.protocol === 'https:';
  await app.register(helmet, {
    contentSecurityPolicy: { directives: policy(secure) },
    // A browser that was once told so would refuse the plain address for a year.
    strictTransportSecurity: secure,
    // The console is nobody's frame.
    xFrameOptions: { action: 'deny' },
  });
  // Replies alone: unpacking what comes in is work for strangers, and no caller of ours packs it.
  await app.register(compress, { globalDecompression: false });
  if (parts.config.documentation) await serveDocumentation(app, '0.1.0', mark);

  const { opened, encryption, gatewayKeys, config } = parts;
  const watch = watchDatabase(opened, app.log);
  app.addHook('onClose', async () => watch.close());
  const reserve = watchReserve(parts.reserveFile);
  app.addHook('onClose', async () => reserve.close());
  const routes: Routes = {
    app,
    isSilent: watch.isSilent,
    isShort: reserve.isShort,
    db: opened.db,
    sessions: createBatchLoader((hashes) => findSessions(opened.db, hashes)),
    encryption,
    queue: createKeyedLimiter(2, 100),
    readsOfPerson: createKeyedLimiter(4, 500),
    // An eighth of the memory: bodies are copied when they are parsed.
    bodyBudget: bodyBudget(parts.config.memory / 8),
    feedToken: gatewayKeys.feed,
    // grows: not, the program fills it as it starts
    implemented: new Set(),
  };
  const tries = createLimits(opened.pool);
  const { smtpUrl, mailFrom, mailFolder } = config;
  const mailer = createMailer({ smtpUrl, from: mailFrom, folder: mailFolder, log: parts.logger });
  app.addHook('onClose', () => mailer.close());
  healthRoutes(routes, isDraining);
  authRoutes(routes, { limits: tries, mailer, publicUrl: config.publicUrl });
  userRoutes(routes, tries);
  companyRoutes(routes);
  const stopping = new AbortController();
  // Each company has a few calls out, so that one whose proxies are all silent holds up nobody else.
  const [ofCompany, ofAll] = [createKeyedLimiter(4, 50), createKeyedLimiter(32, 1_000)];
  const outbound = {
    transport: createTransport({ ...config, keys: gatewayKeys, lookup: parts.lookup }),
    echoUrl: config.echoUrl,
    turns: <T>(company: number, work: () => Promise<T>) => ofCompany(company, () => ofAll(0, work)),
    stop: stopping.signal,
  };
  const runner = parts.runsProbes
    ? startProbeRunner({ db: opened.db, encryption, log: app.log, outbound })
    : null;
  // Before the connections are waited for: a call that probes ends with its probe.
  app.addHook('preClose', async () => {
    stopping.abort();
    await runner?.close();
  });
  proxyRoutes(routes, { ...outbound, limits: tries });
  siteRoutes(routes);
  lockRoutes(routes, { ...outbound, limits: tries, publicUrl: config.publicUrl });
  checkRoutes(routes, { limits: tries, wake: () => runner?.wake() });
  onboardingProgressRoutes(routes);
  policyRoutes(routes);
  accessRoutes(routes, {
    keys: gatewayKeys,
    url: config.gatewayUrl,
    consoleHost: config.publicUrl.hostname,
  });
  auditRoutes(routes);
  feedRoutes(routes, { opened, heartbeatMs: parts.heartbeatMs });
  const forgotten = endpoints.filter((endpoint) => !routes.implemented.has(endpoint));
  if (forgotten.length > 0)
    throw new Error(`not implemented: ${forgotten.map(({ path }) => path).join(', ')}`);
  await serveConsole(app);
  return app;
}

/** The product's mark, for the documentation. */
const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6e60"/>
<path d="M8.5 25V9.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V25" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
<circle cx="16" cy="15" r="2.4" fill="#8ff0d8"/>
<path d="M16 20.5V25" stroke="#8ff0d8" stroke-width="3" stroke-linecap="round"/></svg>`;

/** Nothing from elsewhere runs or loads; Mantine sets style attributes. */
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
    // Over plain http it would send every asset to a port that does not answer.
    upgradeInsecureRequests: secure ? [] : null,
  };
}
