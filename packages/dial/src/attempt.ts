import { connect, type OnReadOpts, type Socket } from 'node:net';
import { DialError, errnoOf } from './dial-error.ts';
import type { Tenant } from './fair-slots.ts';
import { type Family, type FamilyChoice, type FamilyOrder, familyOf } from './family-order.ts';
import type { SourceAddresses } from './source-addresses.ts';

/** Timeout of one address while others are left (RFC 8305 recommends 250 ms; a busy machine needs more). */
const ATTEMPT_MS = 2_000;

/** Finds the attempt of a socket: its handlers are the same functions for all sockets. */
const attemptOf = Symbol('attempt');
type Attempted = Socket & { [attemptOf]?: Attempt };

/** Connects to the addresses of a name in turn, those of one family after those of the other, until one accepts. */
export class Attempt {
  readonly #port: number;
  readonly #tenant: Tenant;
  readonly #sources: SourceAddresses;
  readonly #only: FamilyChoice;
  readonly #order: FamilyOrder;
  readonly #onread: OnReadOpts | undefined;
  readonly #deadline: number;
  /** Null once the outcome is reported, or not wanted any more. */
  #done: ((outcome: Socket | DialError) => void) | null;
  // Grows with addresses of one name. Bound: 32, those of a resolver's answer. At the bound: does not grow
  #addresses: readonly string[] = [];
  #first: Family = 4;
  /** How many places of the list were passed, which is walked once for each family. */
  #passed = 0;
  /** The address to try next; undefined after the last. */
  #next: string | undefined;
  /** The family of the current attempt. */
  #family: Family = 4;
  #socket: Attempted | null = null;
  /** The address of the current attempt if its socket is not bound to a local address; null otherwise. */
  #unbound: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    port: number,
    tenant: Tenant,
    sources: SourceAddresses,
    only: FamilyChoice,
    order: FamilyOrder,
    onread: OnReadOpts | undefined,
    done: (outcome: Socket | DialError) => void,
    connectMs: number,
  ) {
    this.#port = port;
    this.#tenant = tenant;
    this.#sources = sources;
    this.#only = only;
    this.#order = order;
    this.#onread = onread;
    this.#done = done;
    this.#deadline = performance.now() + connectMs;
  }

  begin(addresses: readonly string[]): void {
    if (this.#done === null) return;
    this.#addresses = addresses;
    this.#first = this.#only === 0 ? this.#order.first(this.#tenant) : this.#only;
    this.#next = this.#take();
    if (this.#next !== undefined) this.#connect(null);
    else this.end(new DialError(addresses.length === 0 ? 'resolve_failed' : 'no_family'));
  }

  /** Takes the next address of the first family, then of the other one. It allocates nothing: each tunnel passes here. */
  #take(): string | undefined {
    const { length } = this.#addresses;
    const end = this.#only === 0 ? 2 * length : length;
    while (this.#passed < end) {
      const first = this.#passed < length;
      const address = this.#addresses[this.#passed % length];
      this.#passed += 1;
      if (address !== undefined && (familyOf(address) === this.#first) === first) return address;
    }
    return undefined;
  }

  /**
   * Connects to the next address.
   * @param failure why the previous address failed; the attempt ends with it when no address is left
   */
  #connect(failure: DialError | null): void {
    const left = this.#deadline - performance.now();
    const address = this.#next;
    // An Error collects its stack, which would take a twentieth of a tunnel.
    if (address === undefined || left <= 0) return this.end(failure ?? new DialError('timeout'));
    this.#next = this.#take();
    this.#family = familyOf(address);
    const bind = this.#sources.mustBind(address);
    if (bind === false) this.#open(address, false, left);
    else void bind.then((must) => this.#open(address, must, left));
  }

  #open(address: string, bind: boolean, left: number): void {
    if (this.#done === null) return;
    this.#unbound = bind ? null : address;
    // Half-open: the end of one direction must not end the other (apps/gateway/src/tunnel/tunnel.ts).
    const socket: Attempted = connect({
      host: address,
      port: this.#port,
      noDelay: true,
      allowHalfOpen: true,
      ...(bind && { localAddress: this.#sources.of(address) }),
      ...(this.#onread !== undefined && { onread: this.#onread }),
    });
    socket[attemptOf] = this;
    this.#socket = socket;
    // Every 'error' is followed by 'close', which the socket's user handles.
    socket.on('error', ignore).once('connect', onConnect).once('close', onClose);
    this.#timer = setTimeout(onTimeout, this.#next === undefined ? left : Math.min(left, ATTEMPT_MS), socket);
  }

  connected(socket: Attempted): void {
    clearTimeout(this.#timer);
    socket.off('close', onClose);
    socket[attemptOf] = undefined;
    const address = this.#unbound;
    if (address !== null && !this.#sources.check(address, socket)) {
      // A route has changed since the look-up of the local address. No byte was sent, so a bound socket can try again.
      socket.destroy();
      return this.#open(address, true, this.#deadline - performance.now());
    }
    this.#order.record(this.#tenant, this.#family, true);
    this.end(socket);
  }

  closed({ errored }: Socket): void {
    clearTimeout(this.#timer);
    if (this.#done === null) return;
    const failure =
      errored instanceof DialError ? errored : new DialError('connect_failed', errnoOf(errored));
    // A site that refuses was reached: its answer says nothing of the family.
    if (failure.errno !== 'ECONNREFUSED') this.#order.record(this.#tenant, this.#family, false);
    this.#connect(failure);
  }

  /** Reports the outcome. */
  end(outcome: Socket | DialError): void {
    const done = this.#done;
    this.#done = null;
    done?.(outcome);
  }

  cancel(): void {
    this.#done = null;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }
}

function onConnect(this: Attempted): void {
  this[attemptOf]?.connected(this);
}

function onClose(this: Attempted): void {
  this[attemptOf]?.closed(this);
}

function onTimeout(socket: Socket): void {
  socket.destroy(new DialError('timeout'));
}

function ignore(): void {}
