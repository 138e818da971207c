import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import { type Certificate, expiryOf, followCertificate } from '@propusk/certificate/certificate-files';
import { noCertificateYet } from '@propusk/phrases/certificates';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Db } from '../db/open.ts';
import { answerUnreadable } from '../http/error-reply.ts';
import { createListener } from '../http/listener.ts';
import type { Metrics } from '../http/metrics.ts';
import { answerChallenges } from './issue.ts';
import { type Renewal, startRenewal } from './renewal.ts';
import type { TlsConfig } from './settings.ts';
import { readAccountKey } from './store.ts';

/**
 * At most 256 connections on HTTP_PORT. At the limit, a new connection closes the oldest connection of the subscriber with the
 * most connections. A subscriber is an IPv4 address or an IPv6 /64.
 */
const HTTP_SOCKETS = 256;
/** The headers that Fastify accepts from a trusted proxy. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

export interface TlsParts {
  readonly tls: TlsConfig;
  readonly publicUrl: URL;
  readonly sockets: number;
  readonly db: Db;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** The TLS and redirect listeners of a running api. */
export interface TlsSide {
  readonly renewal: Renewal | undefined;
  /** Stops renewals and refuses new connections. Resolves after the last response. */
  close(): Promise<void>;
}

/**
 * Serves the api on HTTPS_PORT. HTTP_PORT serves redirects and ACME challenges. Handshakes on HTTPS_PORT fail until there is a
 * certificate, because a self-signed certificate would accustom users to accepting any certificate.
 * @throws Error of node:net when a port cannot be opened
 */
export async function serveTls(app: FastifyInstance, parts: TlsParts): Promise<TlsSide> {
  const { tls, publicUrl, log, metrics, db } = parts;
  const accountKey = tls.acme && (await readAccountKey(tls.acme.accountKey));
  const challenge = accountKey === undefined ? () => undefined : answerChallenges(accountKey);
  const served: { certificate?: Certificate } = {};

  const overTls: RequestListener = (req, res) => {
    // Clients connect directly to this listener, so forwarding headers are untrusted, even from an address of TRUST_PROXY.
    for (const name of FORWARDED) delete req.headers[name];
    app.routing(req, res);
  };
  const overHttp: RequestListener = (req, res) => {
    const text = challenge(req.url);
    if (text !== undefined) return void res.end(text);
    if (served.certificate === undefined) {
      const type = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '30' };
      return void res.writeHead(503, type).end(noCertificateYet());
    }
    // An absolute-form target (RFC 9112 section 3.2.2) would change the host of the redirect.
    const path = req.url?.startsWith('/') ? req.url : '/';
    res.writeHead(308, { location: new URL(publicUrl.origin + path).href }).end();
  };
  const limits = { trustProxy: [], metrics };
  const secure = createListener(overTls, { ...limits, sockets: parts.sockets, secure: true });
  const sockets = Math.min(parts.sockets, HTTP_SOCKETS);
  const plain = createListener(overHttp, { ...limits, sockets, brief: true });
  for (const server of [secure, plain]) server.on('clientError', answerUnreadable);
  const unfollow = followCertificate(secure as unknown as TlsServer, tls.console, served, log);
  await once(secure.listen(tls.httpsPort), 'listening');
  await once(plain.listen(tls.httpPort), 'listening');
  const renewal =
    tls.acme && accountKey !== undefined ? startRenewal({ ...tls.acme, accountKey, db, log }) : undefined;
  metrics.watchCertificates(() => {
    const expiresAt = served.certificate && expiryOf(served.certificate);
    return renewal?.states ?? [[publicUrl.hostname, { expiresAt, failures: 0 }]];
  });
  return {
    renewal,
    async close() {
      unfollow();
      // The shutdown does not wait for a running renewal, because an order for a certificate may take minutes.
      void renewal?.close();
      await Promise.all([secure, plain].map((server) => new Promise((done) => void server.close(done))));
    },
  };
}
