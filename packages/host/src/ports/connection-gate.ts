import type { Socket } from 'node:net';

/**
 * Who may be connected (R-requests). Each client has so many connections, and all together so many
 * that files, the operator's port and the log find a descriptor at any time. A client that has all of
 * its places taken loses one that it does not use; when the house is full, a newcomer takes the place
 * of an idle connection of whoever has most of them.
 */

export type ConnectionLimits = {
  readonly connectionsMax: number;
  readonly connectionsPerClientMax: number;
};

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 10_000,
  connectionsPerClientMax: 512,
};

/** What a connection is doing. The first two may be asked to leave. */
type Doing = 'waiting' | 'sending' | 'working' | 'upgraded';

type GateRefusal = 'client' | 'all';

type Guest = {
  readonly socket: Socket;
  readonly client: string;
  doing: Doing;
  sinceMs: number;
};

/** A connection that waits for less may have a request on its way. */
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

  /** Connections turned away at the door, and those that had to leave for others. */
  get counts(): { readonly refused: number; readonly evicted: number } {
    return { refused: this.#refused, evicted: this.#evicted };
  }

  /** Lets a connection in, for as long as it is open, or says whose places are taken. */
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

  /** Whether it was let in and is open. */
  has(socket: Socket): boolean {
    return this.#guests.has(socket);
  }

  /** Says what a connection is doing now. */
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
    return this.#makeRoom(own.size) ? undefined : 'all';
  }

  /** Ends a connection of the client that has most, if it has more than the newcomer would have. */
  #makeRoom(own: number): boolean {
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
    // The place is free at once; the descriptor is in this turn of the event loop.
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

/** Turns a connection away in a few words; nothing that it sends is read. */
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
