/**
 * Limits the memory for bodies, in total and per client (R-requests). A body counts as one while it
 * is being read. Its bytes count until its request is answered, because the text stays in memory
 * while the request is waiting for a signature or a block. When the budget is exhausted, the client
 * with the largest share has a body closed. Otherwise, a few dozen clients that never complete
 * their requests would block all others.
 */

export type BodyLimits = {
  /** The maximum number of bodies being read. */
  readonly bodiesMax: number;
  readonly bodiesPerClientMax: number;
  /** The maximum number of bytes in bodies whose requests have not been answered yet. */
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

/** Limits for responses that clients have not read yet. */
export const ANSWER_LIMITS: BodyLimits = {
  bodiesMax: Infinity,
  bodiesPerClientMax: Infinity,
  bytesMax: 64 * MIB,
  bytesPerClientMax: 12 * MIB,
};

/** Disables the per-client limits for load tests, but keeps those that protect the process. */
export function withoutClientLimits(limits: BodyLimits): BodyLimits {
  return { ...limits, bodiesPerClientMax: Infinity, bytesPerClientMax: Infinity };
}

/** The budget that is exhausted: that of the client or that of the process. */
export type BodyRefusal = 'client' | 'all';

type Use = { bodies: number; bytes: number };
/** The memory used by a client, and its unfinished bodies, oldest first. */
type ClientUse = Use & { readonly client: string; readonly open: Set<BodyHold> };

/**
 * A normal client sends a complete body within this time. A slower body can be closed to free
 * memory for other clients.
 */
const HELD_MS = 2_000;

export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Use = { bodies: 0, bytes: 0 };
  readonly #byClient = new Map<string, ClientUse>();
  /** All holds share this object, because every request has two holds. */
  readonly #budget: BudgetUse = {
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

  get use(): Readonly<Use> {
    return this.#all;
  }

  /**
   * Must be called before a body is read. A returned hold must always be released. `cut` closes the
   * connection if clients that use less memory need it.
   */
  enter(client: string, cut: () => void): BodyHold | BodyRefusal {
    const { bodiesMax, bodiesPerClientMax } = this.#limits;
    const own = this.#byClient.get(client) ?? { client, bodies: 0, bytes: 0, open: new Set() };
    if (own.bodies >= bodiesPerClientMax) return 'client';
    if (this.#all.bodies >= bodiesMax && !this.#evict('bodies', own, 1)) return 'all';
    this.#byClient.set(client, own);
    own.bodies += 1;
    this.#all.bodies += 1;
    const hold = new BodyHold(this.#budget, own, cut);
    own.open.add(hold);
    return hold;
  }

  #grow(own: ClientUse, bytes: number): BodyRefusal | undefined {
    if (own.bytes + bytes > this.#limits.bytesPerClientMax) return 'client';
    while (this.#all.bytes + bytes > this.#limits.bytesMax) {
      if (!this.#evict('bytes', own, bytes)) return 'all';
    }
    own.bytes += bytes;
    this.#all.bytes += bytes;
    return undefined;
  }

  /**
   * Closes the oldest body of the client with the largest share. If no client has more than the
   * others, closes a slow body.
   */
  #evict(of: keyof Use, own: ClientUse, more: number): boolean {
    let most: ClientUse = own;
    let oldest: BodyHold | undefined;
    for (const each of this.#byClient.values()) {
      const [first] = each.open;
      if (first === undefined || each === own) continue;
      if (each[of] > most[of]) most = each;
      if (oldest === undefined || first.sinceMs < oldest.sinceMs) oldest = first;
    }
    const [greedy] = most.open;
    const isGreedy = most !== own && most[of] > LARGEST_HOLDER_FACTOR * (own[of] + more);
    if (isGreedy && greedy !== undefined) greedy.cut();
    else if (oldest !== undefined && performance.now() - oldest.sinceMs > HELD_MS) oldest.cut();
    else return false;
    return true;
  }
}

type BudgetUse = {
  readonly grow: (own: ClientUse, bytes: number) => BodyRefusal | undefined;
  readonly read: (own: ClientUse, hold: BodyHold) => void;
  readonly release: (own: ClientUse, bytes: number) => void;
};

export class BodyHold {
  readonly sinceMs = performance.now();
  readonly #budget: BudgetUse;
  readonly #own: ClientUse;
  readonly #cut: () => void;
  #bytes = 0;
  #isReading = true;
  #isReleased = false;

  constructor(budget: BudgetUse, own: ClientUse, cut: () => void) {
    this.#budget = budget;
    this.#own = own;
    this.#cut = cut;
  }

  /** Reserves more bytes. Returns the exhausted budget, if any. */
  grow(bytes: number): BodyRefusal | undefined {
    // The client has disconnected, so the rest of its body is not stored.
    if (this.#isReleased) return 'client';
    const refused = this.#budget.grow(this.#own, bytes);
    if (refused === undefined) this.#bytes += bytes;
    return refused;
  }

  /** Marks the body as complete, or as one that will not be read any further. */
  read(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#budget.read(this.#own, this);
  }

  /** Closes the connection, because other clients need the memory. */
  cut(): void {
    this.release();
    this.#cut();
  }

  /** Releases the bytes after the response has been sent. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.read();
    this.#budget.release(this.#own, this.#bytes);
  }
}

/**
 * A connection is closed in favour of a client only if that client would hold at most this fraction
 * (1/n) of the largest holder's share. With a larger fraction, a few clients with large shares
 * would repeatedly close each other's connections.
 */
export const LARGEST_HOLDER_FACTOR = 8;
