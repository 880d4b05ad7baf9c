import type { Socket } from 'node:net';

/**
 * Who may be connected (R-requests). Each client has so many connections, and all together so many
 * that files, the operator's port and the log find a descriptor at any time. When the house is full,
 * a newcomer takes the place of an idle connection of whoever has most of them.
 */

export type ConnectionLimits = {
  readonly connectionsMax: number;
  readonly connectionsPerClientMax: number;
};

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 10_000,
  connectionsPerClientMax: 256,
};

/** What a connection is doing. The first two may be asked to leave. */
export type Doing = 'waiting' | 'sending' | 'working' | 'upgraded';

export type GateRefusal = 'client' | 'all';

type Guest = { readonly socket: Socket; readonly client: string; doing: Doing };

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
    const refusal = this.#refusalOf(own?.size ?? 0, isLimited);
    if (refusal !== undefined) {
      this.#refused += 1;
      return refusal;
    }
    const guest: Guest = { socket, client, doing: 'waiting' };
    this.#guests.set(socket, guest);
    if (own === undefined) this.#byClient.set(client, new Set([guest]));
    else own.add(guest);
    socket.once('close', () => this.#leave(guest));
    return undefined;
  }

  /** Says what a connection is doing now. */
  note(socket: Socket, doing: Doing): void {
    const guest = this.#guests.get(socket);
    if (guest !== undefined && guest.doing !== 'upgraded') guest.doing = doing;
  }

  #refusalOf(own: number, isLimited: boolean): GateRefusal | undefined {
    const { connectionsMax, connectionsPerClientMax } = this.#limits;
    if (isLimited && own >= connectionsPerClientMax) return 'client';
    if (this.#guests.size < connectionsMax) return undefined;
    return this.#makeRoom(own) ? undefined : 'all';
  }

  /** Ends a connection of the client that has most, if it has more than the newcomer would have. */
  #makeRoom(own: number): boolean {
    let most: ReadonlySet<Guest> = new Set();
    for (const guests of this.#byClient.values()) if (guests.size > most.size) most = guests;
    if (most.size <= own + 1) return false;
    const victim = firstDoing(most, 'waiting') ?? firstDoing(most, 'sending');
    if (victim === undefined) return false;
    this.#evicted += 1;
    // The place is free at once; the descriptor is in this turn of the event loop.
    this.#leave(victim);
    victim.socket.destroy();
    return true;
  }

  #leave(guest: Guest): void {
    if (!this.#guests.delete(guest.socket)) return;
    const own = this.#byClient.get(guest.client);
    own?.delete(guest);
    if (own?.size === 0) this.#byClient.delete(guest.client);
  }
}

function firstDoing(guests: ReadonlySet<Guest>, doing: Doing): Guest | undefined {
  for (const guest of guests) if (guest.doing === doing) return guest;
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
