/**
 * What bodies may hold in memory, in all and per client (R-requests). A body counts as one while it
 * is read, and its bytes count until its request is answered: a text that waits for a signature or a
 * block is held as well.
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

export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #all: Use = { bodies: 0, bytes: 0 };
  readonly #byClient = new Map<string, Use>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** What is held now, for the operator. */
  get use(): Readonly<Use> {
    return this.#all;
  }

  /** A body is about to be read; whoever gets a hold lets go of it, whatever happens. */
  enter(client: string): BodyHold | BodyRefusal {
    const { bodiesMax, bodiesPerClientMax } = this.#limits;
    const own = this.#byClient.get(client) ?? { bodies: 0, bytes: 0 };
    if (own.bodies >= bodiesPerClientMax) return 'client';
    if (this.#all.bodies >= bodiesMax) return 'all';
    this.#byClient.set(client, own);
    const uses = [this.#all, own];
    for (const use of uses) use.bodies += 1;
    return new BodyHold({
      grow: (bytes) => this.#grow(own, bytes),
      read: () => {
        for (const use of uses) use.bodies -= 1;
      },
      release: (bytes) => {
        for (const use of uses) use.bytes -= bytes;
        if (own.bodies === 0 && own.bytes === 0) this.#byClient.delete(client);
      },
    });
  }

  #grow(own: Use, bytes: number): BodyRefusal | undefined {
    if (own.bytes + bytes > this.#limits.bytesPerClientMax) return 'client';
    if (this.#all.bytes + bytes > this.#limits.bytesMax) return 'all';
    own.bytes += bytes;
    this.#all.bytes += bytes;
    return undefined;
  }
}

type HoldActions = {
  readonly grow: (bytes: number) => BodyRefusal | undefined;
  readonly read: () => void;
  readonly release: (bytes: number) => void;
};

/** One body's share of the budget. */
export class BodyHold {
  readonly #actions: HoldActions;
  #bytes = 0;
  #isReading = true;
  #isReleased = false;

  constructor(actions: HoldActions) {
    this.#actions = actions;
  }

  /** More of it is kept; says whose budget does not allow it. */
  grow(bytes: number): BodyRefusal | undefined {
    // Its client is gone; what still comes of it is not kept.
    if (this.#isReleased) return 'client';
    const refused = this.#actions.grow(bytes);
    if (refused === undefined) this.#bytes += bytes;
    return refused;
  }

  /** It is whole, or will not be read further. */
  read(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    this.#actions.read();
  }

  /** Its request was answered. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.read();
    this.#actions.release(this.#bytes);
  }
}
