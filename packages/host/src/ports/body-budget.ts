/**
 * What bodies may hold in memory, in all and per client (R-requests). A body counts as one while it
 * is read, and its bytes count until its request is answered: a text that waits for a signature or a
 * block is held as well. When there is no more room for anybody, whoever holds most of it makes some:
 * a few dozen clients that never end what they began would else shut out everybody.
 */

export type BodyLimits = {
  /** Bodies that are being read. */
  readonly bodiesMax: number;
  readonly bodiesPerClientMax: number;
  /** Bytes of bodies whose request has no answer yet. */
  readonly bytesMax: number;
  readonly bytesPerClientMax: number;
};

const MIB = 1024 * 1024;

export const BODY_LIMITS: BodyLimits = {
  bodiesMax: 2_000,
  bodiesPerClientMax: 64,
  bytesMax: 48 * MIB,
  bytesPerClientMax: 4 * MIB,
};

/** The same for answers that clients have not read yet. */
export const ANSWER_LIMITS: BodyLimits = {
  bodiesMax: Infinity,
  bodiesPerClientMax: Infinity,
  bytesMax: 64 * MIB,
  bytesPerClientMax: 12 * MIB,
};

/** For load tests: what guards clients against each other is off, what guards the process stays. */
export function withoutClientLimits(limits: BodyLimits): BodyLimits {
  return { ...limits, bodiesPerClientMax: Infinity, bytesPerClientMax: Infinity };
}

/** Whose budget is used up: the client's own, or that of the whole process. */
export type BodyRefusal = 'client' | 'all';

type Use = { bodies: number; bytes: number };
/** What a client holds, and of it what is being read or sent, the oldest first. */
type ClientUse = Use & { readonly client: string; readonly open: Set<BodyHold> };

/** Nobody who means it takes longer for a body, when others wait for the room. */
const HELD_MS = 2_000;

export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Use = { bodies: 0, bytes: 0 };
  readonly #byClient = new Map<string, ClientUse>();
  /** One for all holds: every request has two. */
  readonly #room: Room = {
    grow: (own, bytes) => this.#grow(own, bytes),
    read: (own, hold) => {
      own.open.delete(hold);
      own.bodies -= 1;
      this.#all.bodies -= 1;
    },
    release: (own, bytes) => {
      own.bytes -= bytes;
      this.#all.bytes -= bytes;
      if (own.bodies === 0 && own.bytes === 0) this.#byClient.delete(own.client);
    },
  };

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** What is held now, for the operator. */
  get use(): Readonly<Use> {
    return this.#all;
  }

  /**
   * A body is about to be read; whoever gets a hold lets go of it, whatever happens. `cut` ends it when the room
   * is needed for others, who hold less.
   */
  enter(client: string, cut: () => void): BodyHold | BodyRefusal {
    const { bodiesMax, bodiesPerClientMax } = this.#limits;
    const own = this.#byClient.get(client) ?? { client, bodies: 0, bytes: 0, open: new Set() };
    if (own.bodies >= bodiesPerClientMax) return 'client';
    if (this.#all.bodies >= bodiesMax && !this.#makeRoom('bodies', own, 1)) return 'all';
    this.#byClient.set(client, own);
    own.bodies += 1;
    this.#all.bodies += 1;
    const hold = new BodyHold(this.#room, own, cut);
    own.open.add(hold);
    return hold;
  }

  #grow(own: ClientUse, bytes: number): BodyRefusal | undefined {
    if (own.bytes + bytes > this.#limits.bytesPerClientMax) return 'client';
    while (this.#all.bytes + bytes > this.#limits.bytesMax) {
      if (!this.#makeRoom('bytes', own, bytes)) return 'all';
    }
    own.bytes += bytes;
    this.#all.bytes += bytes;
    return undefined;
  }

  /** Ends what the client with most began first, or, where nobody has more, what has been held up for long. */
  #makeRoom(of: keyof Use, own: ClientUse, more: number): boolean {
    let most: ClientUse = own;
    let oldest: BodyHold | undefined;
    for (const each of this.#byClient.values()) {
      const [first] = each.open;
      if (first === undefined || each === own) continue;
      if (each[of] > most[of]) most = each;
      if (oldest === undefined || first.sinceMs < oldest.sinceMs) oldest = first;
    }
    const [greedy] = most.open;
    const isGreedy = most !== own && most[of] > GREEDY_FACTOR * (own[of] + more);
    if (isGreedy && greedy !== undefined) greedy.cut();
    else if (oldest !== undefined && performance.now() - oldest.sinceMs > HELD_MS) oldest.cut();
    else return false;
    return true;
  }
}

/** What a hold asks of its budget. */
type Room = {
  readonly grow: (own: ClientUse, bytes: number) => BodyRefusal | undefined;
  readonly read: (own: ClientUse, hold: BodyHold) => void;
  readonly release: (own: ClientUse, bytes: number) => void;
};

/** One body's share of the budget. */
export class BodyHold {
  readonly sinceMs = performance.now();
  readonly #room: Room;
  readonly #own: ClientUse;
  readonly #cut: () => void;
  #bytes = 0;
  #isReading = true;
  #isReleased = false;

  constructor(room: Room, own: ClientUse, cut: () => void) {
    this.#room = room;
    this.#own = own;
    this.#cut = cut;
  }

  /** More of it is kept; says whose budget does not allow it. */
  grow(bytes: number): BodyRefusal | undefined {
    // Its client is gone; what still comes of it is not kept.
    if (this.#isReleased) return 'client';
    const refused = this.#room.grow(this.#own, bytes);
    if (refused === undefined) this.#bytes += bytes;
    return refused;
  }

  /** It is whole, or will not be read further. */
  read(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#room.read(this.#own, this);
  }

  /** Others need the room. */
  cut(): void {
    this.release();
    this.#cut();
  }

  /** Its request was answered. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.read();
    this.#room.release(this.#own, this.#bytes);
  }
}

/**
 * Room is made for who would hold a small part of what the greediest holds, of bodies and of streams alike. Were it made for
 * more, a few that all hold much would have each other cut for ever, and everything made anew.
 */
export const GREEDY_FACTOR = 8;
