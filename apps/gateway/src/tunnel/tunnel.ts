import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dialing, StartDial } from '@propusk/dial/dial';
import { DialError } from '@propusk/dial/dial-error';
import type { Deadline } from '../deadline.ts';
import { type ActiveRequest, clientLeft } from '../policy/active-requests.ts';
import { ProxyError } from '../proxy-error.ts';
import type { Meter, Visit } from '../records/visit.ts';
import { HANDSHAKE, HELLO_LIMIT, helloLength } from './client-hello.ts';
import { dialRefusal } from './origin-connect.ts';
import { OriginSource } from './origin-source.ts';
import { awaitsServer, classify, classifyServer } from './protocol-sniffer.ts';
import { readServerHello } from './server-hello.ts';
import { readBy, type SocketReader, startReading, stopReading } from './socket-reader.ts';
import { nothing, Splice, type TransferredBytes } from './splice.ts';
import { UpstreamTunnel } from './upstream.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6), by phases:
 *
 *   dialling   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                           └── dial ──> proxy ── CONNECT ──> site
 *   sniffing   client <── 200 ────── gateway, which classifies the first bytes (protocol-sniffer.ts)
 *   answering  TLS only: the site has the ClientHello, and its first bytes are not known yet (server-hello.ts)
 *   retrying   TLS only: the site requested a second ClientHello, which must name the same host
 *   spliced    client <────────────> gateway <─────────────> site (splice.ts)
 */

/** A first message must be complete within this time; on shared egress a silent tunnel ends then too. */
const FIRST_BYTES_MS = 10_000;
const SILENCE_MS = 5 * 60_000;
/** Types of TLS records that a server may ignore: change_cipher_spec, alert, application_data (RFC 8446 section 5.1). */
const ignored: ReadonlySet<number | undefined> = new Set([20, 21, 23]);
/** The largest TLS record in bytes. */
const RECORD_LIMIT = 5 + 16_384 + 256;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** The client connection of a tunnel. */
export interface TunnelOwner {
  /** The client gets its 200 now. */
  established(tunnel: Meter): void;
  /** The client has no 200 yet: it gets the refusal. */
  refused(error: unknown): void;
  /** The client sends HTTP that must be parsed. It is paused, and these are its first bytes. */
  http(first: Buffer): void;
  /** @param fault why the first bytes ended it; null for a tunnel that was spliced */
  over(fault: Error | null, bytes: TransferredBytes): void;
}

type Phase = 'dialling' | 'sniffing' | 'answering' | 'retrying' | 'spliced' | 'over';

export class Tunnel implements SocketReader, Deadline, Meter {
  readonly #owner: TunnelOwner;
  readonly #active: ActiveRequest;
  readonly #client: Socket;
  readonly #idleMs: number;
  readonly #source = new OriginSource();
  #phase: Phase = 'dialling';
  #dialing: Dialing | null = null;
  #remote: Socket | null = null;
  /** Not null until the company's proxy has answered. */
  #upstream: UpstreamTunnel | null = null;
  #splice: Splice | null = null;
  /** Bytes that the client, and the remote, sent and that are not passed on. */
  #up: Buffer;
  #down: Buffer = nothing;
  /** Bytes that were passed on before the splice. */
  #passed = { up: 0, down: 0 };
  #deadline = Number.POSITIVE_INFINITY;

  /** @param first the client's bytes behind its CONNECT @param idleMs the idle timeout once bytes are spliced */
  constructor(owner: TunnelOwner, active: ActiveRequest, client: Socket, first: Buffer, idleMs: number) {
    this.#owner = owner;
    this.#active = active;
    this.#client = client;
    this.#up = first;
    this.#idleMs = idleMs;
  }

  get deadline(): number {
    return this.#splice?.deadline ?? this.#deadline;
  }

  measure(visit: Visit): void {
    this.#splice?.measure(visit);
  }

  open(dial: StartDial): void {
    const { egress, target, tenant, signal } = this.#active;
    signal.addEventListener('abort', () => this.#abort(signal.reason ?? clientLeft));
    readBy(this.#client, this);
    startReading(this.#client);
    this.#source.sink = (bytes) => this.#fromRemote(bytes);
    const { onread } = this.#source;
    const done = (outcome: Socket | DialError) => this.#dialled(outcome);
    this.#dialing =
      egress.kind === 'direct'
        ? dial(target.host, target.port, tenant, 'site', egress.family, onread, done)
        : dial(egress.host, egress.port, tenant, 'upstream', 0, onread, done);
  }

  #dialled(outcome: Socket | DialError): void {
    const { egress, target } = this.#active;
    if (outcome instanceof DialError) return this.#fail(dialRefusal(outcome, egress));
    this.#remote = outcome;
    readBy(outcome, this);
    if (egress.kind === 'direct') return this.#establish();
    this.#upstream = new UpstreamTunnel(outcome, egress, target, (first) => {
      this.#upstream = null;
      if (first instanceof Error) return this.#fail(first);
      this.#down = first;
      this.#establish();
    });
  }

  #establish(): void {
    this.#phase = 'sniffing';
    // A silent tunnel must not hold a slot of the shared egress.
    this.#deadline = performance.now() + (this.#active.egress.shared ? FIRST_BYTES_MS : SILENCE_MS);
    this.#client.write(ESTABLISHED);
    this.#owner.established(this);
    startReading(this.#client);
    if (this.#up.length > 0) this.#sniff();
    // A client may half-close behind its first bytes.
    if (this.#phase === 'sniffing' && this.#client.readableEnded)
      this.#fail(new ProxyError('connect_failed'));
    if (this.#phase === 'sniffing' && this.#down.length > 0) this.#greeted();
  }

  received(bytes: Buffer): void {
    this.#up = this.#up.length === 0 ? bytes : Buffer.concat([this.#up, bytes]);
    if (this.#phase === 'sniffing') this.#sniff();
    else if (this.#phase === 'retrying') this.#retry();
    else if (this.#up.length > HELLO_LIMIT) stopReading(this.#client);
  }

  #sniff(): void {
    switch (classify(this.#up, this.#active)) {
      case 'bytes':
        return this.#up[0] === HANDSHAKE ? this.#sendHello() : this.#join();
      case 'http':
        return this.#parse();
      case 'mismatch':
        return this.#fail(new ProxyError('sni_mismatch'));
      case 'more':
      case 'server':
        if (this.#up.length > HELLO_LIMIT) return this.#fail(new ProxyError('sni_mismatch'));
        this.#deadline = Math.min(this.#deadline, performance.now() + FIRST_BYTES_MS);
    }
  }

  /**
   * Passes the ClientHello on alone. A client could send the second hello at once, so its further bytes wait for the server's answer.
   */
  #sendHello(): void {
    this.#phase = 'answering';
    this.#deadline = performance.now() + SILENCE_MS;
    this.#pass(helloLength(this.#up));
    if (this.#up.length > HELLO_LIMIT) stopReading(this.#client);
    if (this.#remote !== null) startReading(this.#remote);
    if (this.#down.length > 0) this.#answered();
  }

  /** The server's first bytes tell whether it requests a second ClientHello. */
  #answered(): void {
    const answer = readServerHello(this.#down);
    if (answer === 'partial') return;
    if (answer === 'other') return this.#join();
    if (answer === 'broken') return this.#fail(new ProxyError('sni_mismatch'));
    this.#phase = 'retrying';
    this.#deadline = performance.now() + FIRST_BYTES_MS;
    this.#answer();
    startReading(this.#client);
    this.#retry();
  }

  /** Passes the server's bytes on. */
  #answer(): void {
    this.#client.write(this.#down);
    this.#passed.down += this.#down.length;
    this.#down = nothing;
  }

  /**
   * Checks the second ClientHello. ChangeCipherSpec, early data that the server ignores, and alerts that it may ignore precede it.
   */
  #retry(): void {
    while (ignored.has(this.#up[0]) && this.#up.length >= 5) {
      const length = 5 + this.#up.readUInt16BE(3);
      if (length > this.#up.length) break;
      this.#pass(length);
    }
    const [type] = this.#up;
    const waits = type === undefined || ignored.has(type);
    const step = waits ? 'more' : type === HANDSHAKE ? classify(this.#up, this.#active) : 'mismatch';
    if (step === 'bytes') this.#join();
    else if (step !== 'more' || this.#up.length > RECORD_LIMIT) this.#fail(new ProxyError('sni_mismatch'));
  }

  /** Passes the client's first bytes on. */
  #pass(length: number): void {
    this.#remote?.write(this.#up.subarray(0, length));
    this.#passed.up += length;
    this.#up = this.#up.subarray(length);
  }

  /** Keeps the remote's bytes: those behind a proxy's answer, and those of a server that speaks first. */
  #fromRemote(bytes: Buffer): boolean {
    if (this.#upstream !== null) this.#upstream.received(bytes);
    else {
      this.#down = Buffer.concat([this.#down, bytes]);
      if (this.#phase === 'answering') {
        this.#answered();
        return true;
      }
      if (this.#phase === 'retrying') {
        this.#answer();
        return true;
      }
      if (this.#phase === 'sniffing') this.#greeted();
    }
    // The rest is read once the first bytes are classified.
    if (this.#down.length > 0 && this.#remote !== null) stopReading(this.#remote);
    return true;
  }

  /** The server's first bytes identify the protocol, unless the client has to speak first. */
  #greeted(): void {
    if (!awaitsServer(this.#active)) return;
    if (classifyServer(this.#down, this.#active) === 'bytes') this.#join();
    else this.#fail(new ProxyError('sni_mismatch'));
  }

  #join(): void {
    const remote = this.#remote;
    if (remote === null) return;
    this.#phase = 'spliced';
    this.#splice = new Splice(this.#client, remote, this.#source, this.#idleMs, () => this.#ended());
    this.#active.splice = this.#splice;
    this.#splice.start(this.#up, this.#down, this.#passed);
    this.#up = this.#down = nothing;
  }

  #parse(): void {
    this.#phase = 'over';
    // The forwarder cannot use this connection, which is read into the shared buffer and emits no 'data': it opens its own.
    this.#remote?.destroy();
    this.#owner.http(this.#up);
  }

  ended(from: Duplex): void {
    // What a client sent before its end may still be passed on, once the tunnel is open.
    if (from === this.#client && this.#phase !== 'sniffing' && this.#phase !== 'retrying') return;
    // The end of a server that refused the hello is passed on, and nothing more is sent to it.
    if (from === this.#remote && this.#phase === 'answering') {
      this.#up = nothing;
      return this.#join();
    }
    if (this.#upstream !== null) this.#upstream.ended();
    else this.#fail(new ProxyError('connect_failed'));
  }

  closed(from: Duplex): void {
    if (from === this.#client) this.#fail(clientLeft);
    else this.ended(from);
  }

  late(): void {
    if (this.#splice !== null) this.#splice.late();
    else this.#fail(new ProxyError('timeout', 'tunnel_silent'));
  }

  #abort(reason: Error): void {
    if (this.#splice === null) this.#fail(reason);
    else this.#splice.destroy();
  }

  #fail(error: Error): void {
    if (this.#phase === 'over' || this.#phase === 'spliced') return;
    const established = this.#phase !== 'dialling';
    this.#phase = 'over';
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#dialing?.cancel();
    this.#remote?.destroy();
    if (!established) return this.#owner.refused(error);
    // After 200 the client reads the tunnel, not our answer.
    this.#client.destroy();
    this.#owner.over(error, this.#passed);
  }

  #ended(): void {
    this.#phase = 'over';
    this.#owner.over(null, this.#splice?.transferred ?? { up: 0, down: 0 });
  }
}
