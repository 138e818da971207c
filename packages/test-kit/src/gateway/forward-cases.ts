import type { Socket } from 'node:net';
import type { Reply } from './scripted-origin.ts';

/**
 * A test case: a request in absolute form, the reply of the site, and the results that RFC 9110 and RFC 9112 demand of a proxy.
 * `{site}` stands for the host and port of the site.
 */
export interface ForwardCase {
  /** The section of the RFC that demands the result. */
  readonly section: string;
  readonly name: string;
  /** The request without its last blank line and body; `Host` and the credentials are added behind the first line. */
  readonly head: string;
  readonly body?: string;
  /** Whether no `Host` is added. */
  readonly hostless?: boolean;
  readonly reply?: Reply;
  /** What the site must receive; null for no request at all. */
  readonly site?: readonly RegExp[] | null;
  /** What the site must not receive. */
  readonly never?: readonly RegExp[];
  /** What the client must receive. */
  readonly client: readonly RegExp[];
  /** What the client must not receive. */
  readonly hidden?: readonly RegExp[];
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const GET = 'GET http://{site}/ HTTP/1.1';
const ok = [/^HTTP\/1\.1 200 OK\r\n/, /\r\n\r\nok$/];
const refused = (status: number, reason: string) => [
  new RegExp(`^HTTP/1\\.1 ${status} `),
  new RegExp(`x-propusk-reason: ${reason}`, 'i'),
];
const closing = (text: string) => (socket: Socket) => void socket.end(text, 'latin1');

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'REPORT',
  'MKCOL',
].map(
  (method): ForwardCase => ({
    ...{ section: '9110 9.1', name: `${method} is forwarded` },
    head: `${method} http://{site}/a HTTP/1.1`,
    site: [new RegExp(`^${method} /a HTTP/1\\.1\r\n`)],
    client: ok,
  }),
);

const statuses = [
  ...[200, 201, 202, 203, 206, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404],
  ...[405, 409, 410, 416, 418, 422, 429, 451, 500, 501, 502, 503, 504, 599],
].map(
  (status): ForwardCase => ({
    ...{ section: '9110 15', name: `the status ${status} and its phrase are relayed`, head: GET },
    reply: `HTTP/1.1 ${status} A phrase\r\nContent-Length: 2\r\n\r\nok`,
    client: [new RegExp(`^HTTP/1\\.1 ${status} A phrase\r\n`), /\r\n\r\nok$/],
  }),
);

const hopByHop = [
  'Keep-Alive: timeout=5',
  'Proxy-Connection: keep-alive',
  'TE: trailers',
  'Trailer: X-Sum',
  'Upgrade: h2c',
  'Proxy-Authenticate: Basic realm="a"',
  'Proxy-Authentication-Info: a',
];
const dropped = hopByHop.flatMap((line): ForwardCase[] => {
  const name = new RegExp(`^${line.replace(/:.*/, '')}:`, 'im');
  const of = line.replace(/:.*/, '');
  return [
    {
      ...{ section: '9110 7.6.1', name: `${of} of a request is not forwarded`, head: `${GET}\r\n${line}` },
      ...{ never: [name], client: ok },
    },
    {
      ...{ section: '9110 7.6.1', name: `${of} of a response is not forwarded`, head: GET },
      reply: `HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`,
      ...{ client: ok, hidden: [new RegExp(`^${escape(line)}`, 'im')] },
    },
  ];
});

const kept = [
  'Cookie: a=1; b=2',
  'Authorization: Basic YTpi',
  'Range: bytes=0-1',
  'If-None-Match: "a", W/"b"',
  'Accept-Encoding: br, gzip',
  'Cache-Control: max-age=0',
  'Forwarded: for=192.0.2.7',
  'Origin: http://a.test',
  'X-Empty:',
  'X-Obs: \xe9\xff',
  'Content-Language: ru',
].map(
  (line): ForwardCase => ({
    section: '9110 7.6',
    name: `${line.replace(/:.*/, '')} passes in both directions`,
    head: `${GET}\r\n${line}`,
    reply: `HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`,
    site: [new RegExp(`^${escape(line)} ?\r$`, 'm')],
    client: [...ok, new RegExp(`^${escape(line)} ?\r$`, 'm')],
  }),
);

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Requests that no parser may accept, since a site could read another length or another field. */
const badRequests: [section: string, name: string, lines: string, body?: string][] = [
  ['9112 6.3', 'two different Content-Lengths', 'Content-Length: 1\r\nContent-Length: 2', 'ab'],
  ['9112 6.3', 'a list of different Content-Lengths', 'Content-Length: 1, 2', 'ab'],
  [
    '9112 6.1',
    'Content-Length with Transfer-Encoding',
    'Content-Length: 3\r\nTransfer-Encoding: chunked',
    '0\r\n\r\n',
  ],
  ['9112 6.2', 'a signed Content-Length', 'Content-Length: +1', 'a'],
  ['9112 6.2', 'a negative Content-Length', 'Content-Length: -1', 'a'],
  ['9112 6.2', 'a hexadecimal Content-Length', 'Content-Length: 0x1', 'a'],
  ['9112 6.2', 'a Content-Length beyond 64 bits', 'Content-Length: 18446744073709551617', 'a'],
  ['9112 6.1', 'chunked that is not the last coding', 'Transfer-Encoding: chunked, gzip', '0\r\n\r\n'],
  ['9112 6.1', 'an unknown transfer coding alone', 'Transfer-Encoding: xchunked', '0\r\n\r\n'],
  ['9112 5.1', 'white space before the colon', 'X-A : 1'],
  ['9112 5.2', 'a folded line', 'X-A: 1\r\n 2'],
  ['9110 5.5', 'NUL in a value', 'X-A: a\0b'],
  ['9110 5.5', 'a bare CR in a value', 'X-A: a\rb'],
  ['9110 5.1', 'a name with a space', 'X A: 1'],
  ['9110 5.1', 'a line without a colon', 'nonsense'],
  ['9112 2.2', 'a line that ends with a bare LF', 'X-A: 1\nX-B: 2'],
  ['9112 3.2', 'two Host fields', 'Host: other.test'],
];
const bad = badRequests.map(
  ([section, name, lines, body]): ForwardCase => ({
    ...{ section, name: `a request with ${name} is 400 and not forwarded` },
    head: `POST http://{site}/ HTTP/1.1\r\n${lines}`,
    ...(body !== undefined && { body }),
    ...{ site: null, client: [/^HTTP\/1\.1 400 /, /x-propusk-reason: bad_request/i] },
  }),
);

/** Responses that are not HTTP, or whose length two parsers could read differently. */
const badResponses: [section: string, name: string, reply: string][] = [
  [
    '9112 6.3',
    'two different Content-Lengths',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  ],
  [
    '9112 6.3',
    'Content-Length and chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['9112 2.2', 'bare LFs', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ['9110 5.5', 'NUL in a value', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 2\r\n\r\nok'],
  ['9112 5.1', 'white space before a colon', 'HTTP/1.1 200 OK\r\nX-A : 1\r\nContent-Length: 2\r\n\r\nok'],
  [
    '9112 6.1',
    'a transfer coding besides chunked',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  ],
  ['9112 4', 'a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['9112 4', 'another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['9112 2.3', 'the version HTTP/3.7', 'HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['9110 5.4', 'a head of 80 KB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(80_000)}\r\n\r\n`],
  [
    '9110 15.2.2',
    '101 that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n',
  ],
  ['9110 15.2.2', '101 without Upgrade', `HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`],
  ['9110 5.5', 'a control character in 103', `HTTP/1.1 103 Early Hints\r\nLink: a\x01b\r\n\r\n${OK}`],
  ['9110 15.2', '17 interim responses', `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17)}${OK}`],
];
const unreadable = ['GET', 'POST'].flatMap((method) =>
  badResponses.map(
    ([section, name, reply]): ForwardCase => ({
      ...{ section, name: `a response to ${method} with ${name} is 502 bad_response`, reply },
      head: `${method} http://{site}/ HTTP/1.1`,
      client: [/HTTP\/1\.1 502 /, /x-propusk-reason: bad_response/i],
      hidden: [/HTTP\/1\.1 101/],
    }),
  ),
);

const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nKeep-Alive: a\r\n\r\n';
const interim = ['GET', 'HEAD', 'POST'].flatMap((method): ForwardCase[] => [
  {
    ...{ section: '9110 15.2', name: `103 to ${method} is forwarded before the response` },
    head: `${method} http://{site}/ HTTP/1.1`,
    reply: hints + OK,
    client: [
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload\r\nVia: [^\r]+\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    ],
    hidden: [/Keep-Alive: a/],
  },
  {
    ...{ section: '9110 8.6', name: `103 to ${method} loses its phrase and Content-Length` },
    head: `${method} http://{site}/ HTTP/1.1`,
    reply: `HTTP/1.1 103 a\0\x01b\r\nContent-Length: 5\r\n\r\n${OK}`,
    client: [/^HTTP\/1\.1 103 Early Hints\r\nVia: [^\r]+\r\n\r\nHTTP\/1\.1 200 OK\r\n/],
  },
  {
    ...{ section: '9110 15.2', name: `an unsolicited 100 to ${method} is forwarded` },
    head: `${method} http://{site}/ HTTP/1.1`,
    reply: `HTTP/1.1 100 Continue\r\n\r\n${OK}`,
    client: [/^HTTP\/1\.1 100 Continue\r\n[^\0]*?\r\n\r\nHTTP\/1\.1 200 OK\r\n/],
  },
  {
    ...{ section: '9110 15.2', name: `interim responses to ${method} of HTTP/1.0 are not forwarded` },
    head: `${method} http://{site}/ HTTP/1.0`,
    reply: `HTTP/1.1 100 Continue\r\n\r\n${hints}${OK}`,
    client: [/^HTTP\/1\.[01] 200 OK\r\n/],
  },
]);

const targets: ForwardCase[] = [
  {
    section: '9112 3.2.2',
    name: 'the path and query of an absolute form are sent as they are',
    head: 'GET http://{site}/a%2Fb;c?d=%20&e#f'.replace('#f', '') + ' HTTP/1.1',
    site: [/^GET \/a%2Fb;c\?d=%20&e HTTP\/1\.1\r\n/],
    client: ok,
  },
  {
    section: '9112 3.2.2',
    name: 'an empty path becomes /',
    head: 'GET http://{site} HTTP/1.1',
    site: [/^GET \/ HTTP/],
    client: ok,
  },
  {
    section: '9112 3.2.2',
    name: 'a query without a path gets /',
    head: 'GET http://{site}?a HTTP/1.1',
    site: [/^GET \/\?a HTTP/],
    client: ok,
  },
  {
    section: '9112 3.2.2',
    name: 'Host of the target replaces Host of the request',
    head: `${GET}\r\nHost: other.test`,
    hostless: true,
    site: [/\r\nHost: [^\r]*company\.test/i],
    never: [/other\.test/],
    client: ok,
  },
  {
    section: '9112 3.2',
    name: 'HTTP/1.1 without Host is 400',
    head: GET,
    hostless: true,
    site: null,
    client: [/^HTTP\/1\.1 400 /],
  },
  {
    section: '9110 4.2.4',
    name: 'credentials in the URL are refused',
    head: 'GET http://a:b@{site}/ HTTP/1.1',
    site: null,
    client: refused(400, 'bad_request'),
  },
  {
    section: '9112 3.2.1',
    name: 'origin form is refused',
    head: 'GET / HTTP/1.1',
    site: null,
    client: refused(400, 'bad_request'),
  },
  {
    section: '9112 3.2.2',
    name: 'https in absolute form is refused',
    head: 'GET https://{site}/ HTTP/1.1',
    site: null,
    client: refused(400, 'bad_request'),
  },
  {
    section: '6455 3',
    name: 'ws in absolute form is read as http',
    head: 'GET ws://{site}/a HTTP/1.1',
    site: [/^GET \/a HTTP/],
    client: ok,
  },
  {
    section: '9112 3.2.4',
    name: 'OPTIONS without a path becomes OPTIONS *',
    head: 'OPTIONS http://{site} HTTP/1.1',
    site: [/^OPTIONS \* HTTP/],
    client: ok,
  },
  {
    section: '9110 7.6.2',
    name: 'OPTIONS with Max-Forwards 0 is answered',
    head: 'OPTIONS http://{site}/ HTTP/1.1\r\nMax-Forwards: 0',
    site: null,
    client: [/^HTTP\/1\.1 200 /, /\r\nAllow: /],
  },
  {
    section: '9110 9.3.8',
    name: 'TRACE with Max-Forwards 0 is answered without secrets',
    head: 'TRACE http://{site}/ HTTP/1.1\r\nMax-Forwards: 0\r\nCookie: secret\r\nX-A: 1',
    site: null,
    client: [/^HTTP\/1\.1 200 /, /message\/http/, /\r\nX-A: 1\r\n/],
    hidden: [/secret/],
  },
  {
    section: '9110 7.6.2',
    name: 'Max-Forwards of OPTIONS is decremented',
    head: 'OPTIONS http://{site}/ HTTP/1.1\r\nMax-Forwards: 2',
    site: [/\r\nMax-Forwards: 1\r\n/],
    client: ok,
  },
  {
    section: '9110 7.6.2',
    name: 'Max-Forwards of GET is not read',
    head: `${GET}\r\nMax-Forwards: 0`,
    site: [/\r\nMax-Forwards: 0\r\n/],
    client: ok,
  },
  {
    section: '9112 2.3',
    name: 'HTTP/2.0 in a request line is 400 or 505',
    head: 'GET http://{site}/ HTTP/2.0',
    site: null,
    client: [/^HTTP\/1\.1 (400|505) /],
  },
  {
    section: '9112 3',
    name: 'a raw non-ASCII path is 400 with a sentence of its own',
    head: 'GET http://{site}/\xd1\x8f HTTP/1.1',
    site: null,
    client: [/^HTTP\/1\.1 400 /, /x-propusk-reason: bad_request/i],
  },
  {
    section: '6585 5',
    name: 'a head of 70 KB is 431',
    head: `${GET}\r\nCookie: ${'a'.repeat(70_000)}`,
    site: null,
    client: [/^HTTP\/1\.1 431 /],
  },
  {
    section: '6585 5',
    name: 'a head of 60 KB is forwarded',
    head: `${GET}\r\nCookie: ${'a'.repeat(60_000)}`,
    client: ok,
  },
];

const framing: ForwardCase[] = [
  {
    section: '9112 7.1',
    name: 'a chunked request body arrives whole',
    head: 'POST http://{site}/ HTTP/1.1\r\nTransfer-Encoding: chunked',
    body: '3\r\nabc\r\n0\r\n\r\n',
    site: [/\r\n\r\n3\r\nabc\r\n0\r\n\r\n$/],
    reply: (socket, received) =>
      void (received.includes('abc') ? socket.write(OK) : socket.once('data', () => socket.write(OK))),
    client: ok,
  },
  {
    section: '9112 6.2',
    name: 'a request body with Content-Length arrives whole',
    head: 'POST http://{site}/ HTTP/1.1\r\nContent-Length: 3',
    body: 'abc',
    site: [/\r\nContent-Length: 3\r\n/, /abc$/],
    reply: (socket, received) =>
      void (received.endsWith('abc') ? socket.write(OK) : socket.once('data', () => socket.write(OK))),
    client: ok,
  },
  {
    section: '9112 6.1',
    name: 'gzip, chunked of a request is 501',
    head: 'POST http://{site}/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked',
    body: '0\r\n\r\n',
    site: null,
    client: refused(501, 'bad_request'),
  },
  {
    section: '9112 6.3',
    name: 'a POST without a body says so',
    head: 'POST http://{site}/ HTTP/1.1',
    site: [/\r\nContent-Length: 0\r\n/],
    client: ok,
  },
  {
    section: '9112 7.1',
    name: 'a chunked response is relayed whole',
    head: GET,
    reply: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    client: [/^HTTP\/1\.1 200 OK\r\n/, /\r\n\r\n2\r\nok\r\n0\r\n\r\n$/],
  },
  {
    section: '9112 7.1',
    name: 'a chunked response to HTTP/1.0 is relayed without chunks',
    head: 'GET http://{site}/ HTTP/1.0',
    reply: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    client: [/\r\n\r\nok$/],
    hidden: [/transfer-encoding/i],
  },
  {
    section: '9112 6.3',
    name: 'a response that ends with the connection is relayed whole',
    head: GET,
    reply: closing('HTTP/1.1 200 OK\r\n\r\nok'),
    client: [/ok/],
  },
  {
    section: '9112 8',
    name: 'a response shorter than its Content-Length breaks the connection',
    head: GET,
    reply: closing('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'),
    client: [/\r\n\r\nok$/],
  },
  {
    section: '9112 8',
    name: 'a chunked response without its last chunk ends without one',
    head: GET,
    reply: closing('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'),
    client: [/ok/],
    hidden: [/0\r\n\r\n$/],
  },
  {
    section: '9110 9.3.2',
    name: 'a response to HEAD has no body and keeps its Content-Length',
    head: 'HEAD http://{site}/ HTTP/1.1',
    reply: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n',
    client: [/\r\nContent-Length: 2\r\n/, /\r\n\r\n$/],
  },
  {
    section: '9110 15.3.5',
    name: '204 has no body',
    head: GET,
    reply: 'HTTP/1.1 204 No Content\r\n\r\n',
    client: [/^HTTP\/1\.1 204 No Content\r\n/, /\r\n\r\n$/],
  },
  {
    section: '9110 15.4.5',
    name: '304 keeps its fields and has no body',
    head: GET,
    reply: 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
    client: [/^HTTP\/1\.1 304 /, /\r\nETag: "a"\r\n/, /\r\n\r\n$/],
  },
  {
    section: '9110 10.1.1',
    name: 'Expect of HTTP/1.1 is forwarded, and so is its 100',
    head: 'POST http://{site}/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 0',
    site: [/\r\nExpect: 100-continue\r\n/],
    reply: `HTTP/1.1 100 Continue\r\n\r\n${OK}`,
    client: [/^HTTP\/1\.1 100 Continue\r\n/],
  },
  {
    section: '9110 10.1.1',
    name: 'Expect of HTTP/1.0 is ignored',
    head: 'POST http://{site}/ HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 0',
    never: [/expect/i],
    reply: `HTTP/1.1 100 Continue\r\n\r\n${OK}`,
    client: [/^HTTP\/1\.[01] 200 /],
  },
  {
    section: '9112 9.3',
    name: 'a response before the body, from a site that closes, reaches the client',
    head: 'POST http://{site}/ HTTP/1.1\r\nContent-Length: 3000000',
    body: 'a'.repeat(3_000_000),
    reply: (socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok', () =>
        socket.destroy(),
      );
    },
    client: [/^HTTP\/1\.1 413 Content Too Large\r\n/, /\r\n\r\nok$/],
  },
  {
    section: '9110 7.6.3',
    name: 'a request gets Via',
    head: GET,
    site: [/\r\nVia: 1\.1 propusk-/],
    client: ok,
  },
  {
    section: '9110 7.6.3',
    name: 'a response gets Via',
    head: GET,
    client: [...ok, /\r\nVia: 1\.1 propusk-/],
  },
  {
    section: '9110 7.6.3',
    name: 'an earlier Via is kept before ours',
    head: `${GET}\r\nVia: 1.0 other`,
    site: [/\r\nVia: 1\.0 other\r\n(?:[^\r]+\r\n)*Via: 1\.1 propusk-/],
    client: ok,
  },
  {
    section: '9110 7.6.1',
    name: 'a field that Connection names is not forwarded',
    head: `${GET}\r\nConnection: X-Hop\r\nX-Hop: 1`,
    never: [/X-Hop/],
    client: ok,
  },
  {
    section: '9110 7.6.1',
    name: 'Connection cannot name Host or Content-Length',
    head: 'POST http://{site}/ HTTP/1.1\r\nConnection: Host, Content-Length\r\nContent-Length: 2',
    body: 'ok',
    site: [/\r\nContent-Length: 2\r\n/, /^Host:|\r\nHost:/],
    client: ok,
  },
  {
    section: '9110 11.7',
    name: 'the credentials for the gateway are not forwarded',
    head: GET,
    never: [/proxy-authorization/i],
    client: ok,
  },
  {
    section: '9110 5.3',
    name: 'repeated fields keep their number and order',
    head: `${GET}\r\nX-A: 1\r\nX-B: 2\r\nX-A: 3`,
    site: [/X-A: 1\r\nX-B: 2\r\nX-A: 3\r\n/],
    reply: 'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok',
    client: [/Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n/],
  },
  {
    section: '9110 15.5.8',
    name: "a site's 407 does not reach the client",
    head: GET,
    reply:
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="evil"\r\nContent-Length: 0\r\n\r\n',
    client: refused(502, 'connect_failed'),
    hidden: [/evil/],
  },
];

const upgrades: ForwardCase[] = [
  {
    section: '9110 7.8',
    name: '101 for WebSocket passes, with Via',
    head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a`,
    reply: closing(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbytes',
    ),
    site: [/\r\nUpgrade: websocket\r\n/],
    client: [/^HTTP\/1\.1 101 /, /\r\nVia: /, /\r\n\r\nbytes$/],
  },
  {
    section: '9110 7.6.3',
    name: 'a refused WebSocket upgrade passes, with Via',
    head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: websocket`,
    reply: closing('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nok'),
    client: [/^HTTP\/1\.1 403 Forbidden\r\n/, /\r\nVia: /, /ok$/],
  },
  {
    section: '9110 7.8',
    name: '101 with another protocol is 502',
    head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: websocket`,
    reply: closing('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
    client: refused(502, 'bad_response'),
  },
  {
    section: '9110 7.8',
    name: 'an invalid response to an upgrade is 502',
    head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: websocket`,
    reply: closing('nonsense\r\n\r\n'),
    client: refused(502, 'bad_response'),
  },
  ...[
    ['without Upgrade and 101', 'HTTP/1.1 101 Switching Protocols\r\n\r\nbytes'],
    ['with gzip, chunked', 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ].map(
    ([name, reply = '']): ForwardCase => ({
      ...{ section: '9110 7.8', name: `a response to an upgrade ${name} is 502` },
      head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: websocket`,
      ...{ reply: closing(reply), client: refused(502, 'bad_response'), hidden: [/HTTP\/1\.1 101/] },
    }),
  ),
  {
    section: '9110 7.8',
    name: 'another upgrade is ignored',
    head: `${GET}\r\nConnection: Upgrade\r\nUpgrade: foo`,
    never: [/foo/],
    client: ok,
  },
];

export const forwardCases: readonly ForwardCase[] = [
  ...[methods, statuses, dropped, kept, bad, unreadable, interim, targets, framing, upgrades].flat(),
];
