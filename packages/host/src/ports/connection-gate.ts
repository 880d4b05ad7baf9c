import type { Socket } from 'node:net';

/**
 * Limits connections (R-requests) per client and in total, so that files, the operations port and
 * the log always get a descriptor. A client at its limit has an idle connection closed. At the
 * total limit, a new connection replaces an idle one belonging to the client with the most
 * connections.
 */

export type ConnectionLimits = {
  readonly connectionsMax: number;
  readonly connectionsPerClientMax: number;
};

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 10_000,
  connectionsPerClientMax: 512,
};

/**
 * The state of a connection. In the first two states, the connection can be closed in favour of
 * others.
 */
type Doing = 'waiting' | 'sending' | 'working' | 'upgraded';

type GateRefusal = 'client' | 'all';

type Guest = {
  readonly socket: Socket;
  readonly client: string;
  doing: Doing;
  sinceMs: number;
};

/**
 * A connection that became idle less than this many milliseconds ago may have a request on its way.
 */
const UNUSED_MS = 1_000;

export class ConnectionGate {
  readonly #limits: ConnectionLimits;
  readonly #guests = new Map<Socket, Guest>();
  readonly #byClient = new Map<string, Set<Guest>>();
  #refused = 0;
  #evicted = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#guests.size;
  }

  /** How many connections were refused, and how many were closed in favour of others. */
  get counts(): { readonly refused: number; readonly evicted: number } {
    return { refused: this.#refused, evicted: this.#evicted };
  }

  /** Admits a connection until it closes, or returns the limit that has been reached. */
  enter(
    socket: Socket,
    client: string,
    { isLimited }: { readonly isLimited: boolean },
  ): GateRefusal | undefined {
    const own = this.#byClient.get(client);
    const refusal = this.#refusalOf(own ?? new Set(), isLimited);
    if (refusal !== undefined) {
      this.#refused += 1;
      return refusal;
    }
    const guest: Guest = { socket, client, doing: 'waiting', sinceMs: performance.now() };
    this.#guests.set(socket, guest);
    if (own === undefined) this.#byClient.set(client, new Set([guest]));
    else own.add(guest);
    socket.once('close', () => this.#leave(guest));
    return undefined;
  }

  /** Returns true if the connection was admitted and is open. */
  has(socket: Socket): boolean {
    return this.#guests.has(socket);
  }

  note(socket: Socket, doing: Doing): void {
    const guest = this.#guests.get(socket);
    if (guest === undefined || guest.doing === 'upgraded') return;
    guest.doing = doing;
    guest.sinceMs = performance.now();
  }

  #refusalOf(own: ReadonlySet<Guest>, isLimited: boolean): GateRefusal | undefined {
    const { connectionsMax, connectionsPerClientMax } = this.#limits;
    if (isLimited && own.size >= connectionsPerClientMax) {
      const unusedMs = performance.now() - UNUSED_MS;
      const unused = first(own, (each) => each.doing === 'waiting' && each.sinceMs < unusedMs);
      if (unused === undefined) return 'client';
      this.#evict(unused);
      return undefined;
    }
    if (this.#guests.size < connectionsMax) return undefined;
    return this.#evictLargest(own.size) ? undefined : 'all';
  }

  /**
   * Closes a connection of the client with the most, if that is more than the new client would
   * have.
   */
  #evictLargest(own: number): boolean {
    let most: ReadonlySet<Guest> = new Set();
    for (const guests of this.#byClient.values()) if (guests.size > most.size) most = guests;
    if (most.size <= own + 1) return false;
    const victim =
      first(most, ({ doing }) => doing === 'waiting') ??
      first(most, ({ doing }) => doing === 'sending');
    if (victim === undefined) return false;
    this.#evict(victim);
    return true;
  }

  #evict(guest: Guest): void {
    this.#evicted += 1;
    // The slot is free immediately, and the descriptor becomes free within this turn of the event
    // loop.
    this.#leave(guest);
    guest.socket.destroy();
  }

  #leave(guest: Guest): void {
    if (!this.#guests.delete(guest.socket)) return;
    const own = this.#byClient.get(guest.client);
    own?.delete(guest);
    if (own?.size === 0) this.#byClient.delete(guest.client);
  }
}

function first(guests: ReadonlySet<Guest>, isMeant: (guest: Guest) => boolean): Guest | undefined {
  for (const guest of guests) if (isMeant(guest)) return guest;
  return undefined;
}

/** Refuses a connection with a short response, without reading any data. */
export function turnAway(socket: Socket, refusal: GateRefusal, client: string): void {
  const isOwn = refusal === 'client';
  const status = isOwn ? '429 Too Many Requests' : '503 Service Unavailable';
  const text = isOwn ? `too many connections from ${client}` : 'too many connections';
  socket.on('error', () => socket.destroy());
  socket.write(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  socket.destroySoon();
}
