import { isIP } from 'node:net';
import { canonicalHost } from '@propusk/access/host';
import { plainAddress } from '@propusk/overload/networks';
import * as z from 'zod/mini';
import { ConnectError } from './connect-error.ts';
import { type GetRequest, getOver } from './http-get.ts';
import type { Place, Route, Transport } from './transport.ts';

/** What a call of our echo through a proxy showed. */
export interface EgressResult {
  readonly reachable: boolean;
  /** Null when that did not come up. */
  readonly credentialsAccepted: boolean | null;
  /** Where the call came from, as our echo saw it; empty when it did not come. */
  readonly addresses: readonly string[];
  /** Families (4, 6) that were looked for besides and not found this time: what was known of them stands. */
  readonly unanswered: readonly (4 | 6)[];
  readonly roundTripMs: number | null;
  /** What is wrong and what to do, in Russian; null when all is well. */
  readonly problem: string | null;
}

/** What a proxy is given to carry one call. */
const WHOLE_MS = 10_000;
const BODY_LIMIT = 4096;
const Answer = z.strictObject({ address: z.string().check(z.refine((text) => isIP(text) !== 0)) });

/**
 * Calls our echo along a way, and tells where it came from. Everything between us and our own answer may lie, so that a
 * plain http echo is worth as much as the proxy's owner; over https the proxy cannot read or write the answer.
 */
export async function learnEgress(
  transport: Transport,
  way: Exclude<Route, { kind: 'outside' }>,
  echo: URL,
  stop: AbortSignal,
): Promise<EgressResult> {
  const place = placeOf(echo);
  const unknown = { addresses: [], unanswered: [], roundTripMs: null };
  let connected = false;
  let carried = false;
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(WHOLE_MS)]);
    const proxy = await transport.openProxy(way, signal);
    connected = true;
    if (way.kind === 'gateway' && canonicalHost(place.host) === null) {
      proxy.destroy();
      throw new BadEcho(
        `Адрес выхода узнать нельзя: шлюз открывает сайты только по имени, а эхо стоит на ${echo.host}. Задайте в PUBLIC_URL или ECHO_URL имя, под которым консоль видна из интернета.`,
      );
    }
    const tunnel = await transport.through(way, proxy, place, signal);
    carried = true;
    const began = performance.now();
    const address = await askEcho(transport, tunnel, echo, signal);
    const roundTripMs = Math.max(1, Math.round(performance.now() - began));
    const other =
      way.kind === 'upstream' ? await otherFamily(transport, way, echo, address, stop) : undefined;
    // The gateway leaves by what its settings say; the echo's one name shows but one family of it.
    const more =
      way.kind === 'gateway' ? transport.configuredEgress : typeof other === 'string' ? [other] : [];
    return {
      reachable: true,
      credentialsAccepted: true,
      addresses: [...new Set([address, ...more])],
      unanswered: typeof other === 'number' ? [other] : [],
      roundTripMs,
      problem: null,
    };
  } catch (error) {
    stop.throwIfAborted();
    const unreached = error instanceof ConnectError ? error : null;
    // Whoever goes and looks for the site has taken the name and the password.
    const accepted = carried || unreached?.where === 'site';
    return {
      ...unknown,
      reachable: connected,
      credentialsAccepted: unreached?.reason === 'credentials' ? false : accepted || null,
      problem: problemOf(error, way, echo, connected),
    };
  }
}

/**
 * A site may have addresses of both families, and a proxy may leave by either: the one that the name did not lead to is
 * asked for by its literal.
 * @returns the address seen; the family that did not answer; undefined when the echo has but one
 */
async function otherFamily(
  transport: Transport,
  way: Route,
  echo: URL,
  seen: string,
  stop: AbortSignal,
): Promise<string | 4 | 6 | undefined> {
  const { host, port } = placeOf(echo);
  const family = isIP(seen) === 4 ? 6 : 4;
  const addresses = isIP(host) === 0 ? await transport.resolve(host) : [];
  const literal = addresses.find((address) => isIP(address) === family);
  if (literal === undefined || !addresses.some((address) => isIP(address) !== family)) return undefined;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(WHOLE_MS / 2)]);
  try {
    return await askEcho(transport, await transport.open(way, { host: literal, port }, signal), echo, signal);
  } catch {
    stop.throwIfAborted();
    return family;
  }
}

/** An answer of the echo that cannot be what it is to be. The message is for people. */
class BadEcho extends Error {}

/**
 * Calls the echo over a connection.
 * @returns the address that it saw
 * @throws BadEcho, ConnectError
 */
export async function askEcho(
  transport: Transport,
  tunnel: Parameters<typeof getOver>[0],
  echo: URL,
  signal: AbortSignal,
): Promise<string> {
  const asked: GetRequest = {
    ...placeOf(echo),
    tls: echo.protocol === 'https:',
    verify: true,
    path: '/api/echo',
    bodyLimit: BODY_LIMIT,
  };
  const { status, body } = await getOver(tunnel, asked, signal);
  const address = status === 200 ? readAnswer(body) : null;
  if (address === null) {
    throw new BadEcho(`По адресу ${echo.origin}/api/echo ответило не эхо «Пропуска» (ответ ${status}).`);
  }
  if (!transport.allowed(address)) {
    throw new BadEcho(
      `Эхо увидело служебный адрес ${address}: сайты его не видят. Если перед консолью стоит обратный прокси, задайте TRUST_PROXY; если ${echo.host} ведёт внутрь сети, задайте ECHO_URL с внешним именем.`,
    );
  }
  return address;
}

function readAnswer(body: string): string | null {
  try {
    const read = Answer.safeParse(JSON.parse(body));
    return read.success ? plainAddress(read.data.address) : null;
  } catch {
    return null;
  }
}

/** Where the echo listens. */
export function placeOf({ hostname, port, protocol }: URL): Place {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

function problemOf(error: unknown, way: Route, echo: URL, connected: boolean): string {
  if (error instanceof BadEcho) return error.message;
  const who = way.kind === 'gateway' ? 'Шлюз' : 'Прокси';
  if (!(error instanceof ConnectError)) {
    // Its time is over.
    return connected
      ? `${who} соединился, но за ${WHOLE_MS / 1000} секунд не ответил. Проверьте его настройки и журнал.`
      : `${who} не отвечает. Проверьте его адрес и порт и открыт ли он для этого сервера.`;
  }
  if (error.where === 'site') {
    if (error.reason === 'tls_failed')
      return `Сертификат эха ${echo.host} не принят: прокси подменяет его или он просрочен.`;
    const network =
      way.kind === 'gateway' && error.reason === 'address_refused'
        ? 'оно стоит на внутреннем адресе: добавьте его сеть в GATEWAY_ALLOW_NETWORKS или задайте ECHO_URL с внешним именем.'
        : 'проверьте, что консоль видна из интернета под именем из PUBLIC_URL, или задайте ECHO_URL.';
    return `${who} не дозвался до эха ${echo.host}: ${network}`;
  }
  switch (error.reason) {
    case 'credentials':
      return way.kind === 'gateway'
        ? 'Шлюз не принял пропуск проверки: у него другой GATEWAY_SECRET или отстают часы.'
        : 'Прокси не принял имя или пароль. Укажите верные.';
    case 'resolve_failed':
      return `Имя ${who === 'Шлюз' ? 'шлюза' : 'прокси'} не найдено в DNS. Проверьте адрес.`;
    case 'address_refused':
      return 'Прокси стоит на внутреннем адресе, куда «Пропуск» не соединяет. Укажите внешний адрес.';
    case 'connect_failed':
    case 'connection_refused':
    case 'no_route':
      return `${who} не принимает соединений. Проверьте его адрес и порт.`;
    case 'refused':
      return `${who} отказал: ответ ${error.status ?? 'непонятный'}. Разрешите на нём CONNECT к ${echo.host}.`;
    case 'tls_failed':
      return `Сертификат ${who === 'Шлюз' ? 'шлюза' : 'прокси'} не принят.`;
    case 'timeout':
      return `${who} не отвечает. Проверьте его адрес и порт.`;
    case 'broken_off':
      return `${who} оборвал соединение. Проверьте его настройки и журнал.`;
  }
}
