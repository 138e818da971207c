import type { Socket } from 'node:net';
import type { ActiveRequest } from '../policy/active-requests.ts';
import { isUser } from '../policy/authenticate.ts';
import { ProxyError } from '../proxy-error.ts';
import type { AccessRecords } from './access-records.ts';
import type { Meter, Visit } from './visit.ts';

/** The most sites with an open visit. */
const MOST_SITES = 16;

/**
 * The visits of one client connection: its tunnel, its WebSocket, or one for the plain requests to each site. A splice counts its
 * own bytes. While Node's parser reads the socket, the bytes of the socket count for one visit at a time.
 */
export class ConnectionVisits implements Meter {
  readonly #records: AccessRecords;
  readonly #socket: Pick<Socket, 'bytesRead' | 'bytesWritten' | 'destroy'>;
  readonly #address: string;
  /** The tunnel or the WebSocket. */
  #long: Visit | null = null;
  /** The visit whose bytes the socket counts. */
  #counted: Visit | null = null;
  #read = 0;
  #written = 0;
  /** Whether a plain request is in progress. */
  #requested = false;
  // Grows with the sites of the connection. Bound: 16. At the bound: the oldest visit ends
  #sites: Map<string, Visit> | null = null;

  /** @param address the client's */
  constructor(records: AccessRecords, socket: Socket, address: string) {
    this.#records = records;
    this.#socket = socket;
    this.#address = address;
  }

  /** Opens the visit of a tunnel, or of a WebSocket outside of tunnels. */
  open(kind: 'tunnel' | 'websocket', active: ActiveRequest, meter: Meter): void {
    this.#counted = null;
    this.#long = this.#records.open(kind, active, this.#address, meter);
    if (this.#long === null) return;
    this.#long.count = 1;
  }

  /** Node's parser reads the tunnel from now on. @param first bytes of it that the socket has counted */
  parsed(first: number): void {
    if (this.#long === null) return;
    this.#counted = this.#long;
    this.#read = this.#socket.bytesRead - first;
    this.#written = this.#socket.bytesWritten;
    this.#long.meter = this;
  }

  /** Ends the tunnel or WebSocket. @param why the abort reason or fault, if any */
  end(why: Error | null | undefined): void {
    if (this.#long === null) return;
    // connect_failed: client or site ended before the first bytes, as a browser does with a spare tunnel.
    const cut = why instanceof ProxyError && why.reason !== 'connect_failed';
    this.#records.close(this.#long, cut ? why.reason : '');
    this.#long = this.#counted = null;
  }

  /** A plain request is authorized. */
  request(active: ActiveRequest): void {
    const { caller, target } = active;
    const userId = isUser(caller) ? caller.userId : null;
    this.#requested = userId !== null;
    const { host, port } = target;
    const last = this.#counted;
    if (last?.host === host && last.port === port && last.userId === userId) return;
    const key = `${userId} ${host} ${port}`;
    this.#sites ??= new Map();
    let visit = this.#sites.get(key) ?? null;
    if (visit === null) {
      visit = this.#records.open('requests', active, this.#address, this);
      if (visit !== null) this.#sites.set(key, visit);
    }
    this.#counted = visit;
    const [oldest] = this.#sites;
    if (this.#sites.size <= MOST_SITES || oldest === undefined) return;
    this.#sites.delete(oldest[0]);
    this.#records.close(oldest[1], '');
  }

  /** A plain request is over. @param refused it is recorded as a refusal */
  requested(refused: boolean): void {
    const visit = this.#counted;
    if (!this.#requested || visit === null) return;
    this.#requested = false;
    // The bytes of the next request's head count for the next visit.
    this.measure(visit);
    if (refused) return;
    visit.count += 1;
  }

  /**
   * Ends the visits of plain requests, because the connection has closed. A request in progress is added to the count of its
   * visit.
   */
  close(): void {
    this.requested(false);
    for (const visit of this.#sites?.values() ?? []) this.#records.close(visit, '');
    this.#sites = null;
  }

  cut(): void {
    this.#socket.destroy();
  }

  measure(visit: Visit): void {
    if (visit !== this.#counted) return;
    const { bytesRead, bytesWritten } = this.#socket;
    visit.up += bytesRead - this.#read;
    visit.down += bytesWritten - this.#written;
    this.#read = bytesRead;
    this.#written = bytesWritten;
  }
}
