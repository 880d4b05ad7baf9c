import type { Faults } from '../faults.ts';
import type { BookShape } from '../ladder.ts';
import type { TestMarket } from '../outcome-listing.ts';
import { TestVenue } from '../test-venue.ts';
import type { Snapshot } from '../controlled-venue.ts';

export type Controlled = {
  readonly venue: TestVenue;
  readonly clock: VenueClock;
  /** Snapshots by the number that clients use. */
  readonly snapshots: Map<number, Snapshot>;
};

type Fields = Readonly<Record<string, unknown>>;

/** Thrown if a request cannot be granted. The message is sent to the client. */
export class ControlFault extends Error {}

const STEPS_MAX = 10_000;
const SNAPSHOTS_MAX = 100;

/** The calls by path. They have the same names and fields as the testkit's functions. */
export const CONTROL_CALLS: Readonly<
  Record<string, (controlled: Controlled, fields: Fields) => unknown>
> = {
  '/clock/advance': async ({ venue }, fields) => {
    only(fields, ['by', 'step']);
    const step = optional(fields, 'step', durationOf);
    await venue.advance(required(fields, 'by', durationOf), step === undefined ? {} : { step });
  },
  '/clock/hold': ({ clock }, fields) => {
    only(fields, []);
    clock.hold();
  },
  '/clock/run': ({ clock }, fields) => {
    only(fields, []);
    clock.run();
  },
  '/prices': async ({ venue }, fields) => {
    await venue.setPrices(pricesOf(venue, fields, 'the request'));
  },
  '/prices/script': ({ venue }, fields) => {
    only(fields, ['steps']);
    followSteps(venue, fields['steps']);
  },
  '/fund': async ({ venue }, fields) => {
    only(fields, ['address', 'perp', 'outcome']);
    const [perp, outcome] = [optional(fields, 'perp', text), optional(fields, 'outcome', text)];
    if (perp === undefined && outcome === undefined) {
      throw new ControlFault('Missing amount. Use "perp", "outcome" or both, such as "1000"');
    }
    await venue.fund(required(fields, 'address', addressOf), { perp, outcome });
  },
  '/book': async ({ venue }, fields) => {
    const { instrument, ...shape } = fields;
    only(shape, ['levels', 'size', 'gapTicks', 'middle']);
    if (typeof instrument !== 'string' && !isMarket(instrument)) {
      throw new ControlFault(
        '"instrument" must be the name of a perp, or the value returned by /market',
      );
    }
    const { address } = await venue.fillBook(instrument, bookShapeOf(shape));
    return { maker: address };
  },
  '/market': ({ venue }, fields) => venue.createMarket(fields),
  '/market/resolve': async ({ venue }, fields) => {
    only(fields, ['market', 'settlementFraction']);
    if (!isMarket(fields['market']))
      throw new ControlFault('"market" must be the value returned by /market');
    await venue.resolveMarket(fields['market'], required(fields, 'settlementFraction', text));
  },
  '/snapshot': async ({ snapshots, venue }, fields) => {
    only(fields, []);
    if (snapshots.size >= SNAPSHOTS_MAX) {
      throw new ControlFault(`The limit of ${SNAPSHOTS_MAX} snapshots is reached`);
    }
    const id = snapshots.size + 1;
    const snapshot = await venue.snapshot();
    snapshots.set(id, snapshot);
    return { id, ...snapshot };
  },
  '/revert': async ({ snapshots, venue }, fields) => {
    only(fields, ['id']);
    const snapshot = snapshots.get(Number(fields['id']));
    if (snapshot === undefined) {
      const ids = snapshots.size === 0 ? 'none yet' : `1 to ${snapshots.size}`;
      throw new ControlFault(`Unknown snapshot ${JSON.stringify(fields['id'])}; there are ${ids}`);
    }
    await venue.revert(snapshot);
  },
  '/restart': async ({ venue }, fields) => {
    only(fields, ['isKilled']);
    await venue.restart({ isKilled: optional(fields, 'isKilled', flagOf) ?? false });
  },
  '/fault': ({ venue }, fields) => {
    const { fault, ...terms } = fields;
    // Only the object's own properties count, not those inherited from its prototype.
    if (typeof fault !== 'string' || !Object.hasOwn(FAULTS, fault)) {
      const names = Object.keys(FAULTS).join(', ');
      throw new ControlFault(`Unknown fault ${JSON.stringify(fault)}. Use one of ${names}`);
    }
    FAULTS[fault]!(venue.faults, terms);
  },
};

/**
 * Faults that are useful to external clients. A skewed clock is not among them, because that clock
 * belongs to the client.
 */
const FAULTS: Readonly<Record<string, (faults: Faults, terms: Fields) => void>> = {
  loseAnswer: (faults, terms) => faults.loseAnswer(scopeOf(terms)),
  loseRequest: (faults, terms) => faults.loseRequest(scopeOf(terms)),
  executeThen503: (faults, terms) => faults.executeThen503(scopeOf(terms)),
  duplicate: (faults, terms) => faults.duplicate(scopeOf(terms)),
  reorder: (faults, terms) => faults.reorder({ count: 2, ...scopeOf(terms) }),
  rateLimit: (faults, terms) => {
    const retryAfterSeconds = optional(terms, 'retryAfterSeconds', wholeOf) ?? 0;
    faults.rateLimit({ ...scopeOf(terms, ['retryAfterSeconds']), retryAfterSeconds });
  },
  freezeStreams: (faults, terms) => {
    only(terms, []);
    faults.freezeStreams();
  },
  thawStreams: (faults, terms) => {
    only(terms, []);
    faults.thawStreams();
  },
  cutStreams: (faults, terms) => {
    only(terms, []);
    faults.cutStreams();
  },
  silenceOracle: (faults, terms) => faults.silenceOracle(symbolOf(terms)),
  resumeOracle: (faults, terms) => faults.resumeOracle(symbolOf(terms)),
  clear: (faults, terms) => {
    only(terms, []);
    faults.clear();
  },
};

function symbolOf(terms: Fields): string {
  only(terms, ['symbol']);
  return required(terms, 'symbol', text);
}

function scopeOf(terms: Fields, more: readonly string[] = []) {
  only(terms, ['count', 'path', ...more]);
  const [count, path] = [optional(terms, 'count', wholeOf), optional(terms, 'path', text)];
  return { ...(count === undefined ? {} : { count }), ...(path === undefined ? {} : { path }) };
}

/** Sets prices at the scheduled times as the clock advances. An empty list ends the script. */
function followSteps(venue: TestVenue, steps: unknown): void {
  if (!Array.isArray(steps) || steps.length > STEPS_MAX) {
    throw new ControlFault(
      `"steps" must be a list of at most ${STEPS_MAX}, such as [{"at": 10000, "BTC": "65000"}]`,
    );
  }
  const startMs = venue.now;
  const script = (steps as readonly unknown[]).map((step, index) => {
    if (!isFields(step)) throw new ControlFault(`steps[${index}] must be an object`);
    const { at, ...prices } = step;
    if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
      throw new ControlFault(`steps[${index}].at must be milliseconds from now`);
    }
    return { atMs: startMs + at, prices: pricesOf(venue, prices, `steps[${index}]`) };
  });
  const inOrder = script.sort((a, b) => a.atMs - b.atMs);
  let next = 0;
  venue.followPrices(
    inOrder.length === 0
      ? undefined
      : (nowMs) => {
          const due: Record<string, string> = {};
          for (; (inOrder[next]?.atMs ?? Infinity) <= nowMs; next += 1) {
            Object.assign(due, inOrder[next]!.prices);
          }
          return due;
        },
  );
}

/** Validates a script's prices before they are due. */
function pricesOf(
  venue: TestVenue,
  fields: Fields,
  where: string,
): Readonly<Record<string, string>> {
  if (Object.keys(fields).length === 0) {
    throw new ControlFault(`${where} contains no price, such as "BTC": "65000"`);
  }
  try {
    TestVenue.partsOf(venue).prices.read(fields);
  } catch (error) {
    throw new ControlFault(`${where}: ${(error as Error).message}`, { cause: error });
  }
  return fields as Readonly<Record<string, string>>;
}

function bookShapeOf(fields: Fields): BookShape {
  const levels = optional(fields, 'levels', wholeOf);
  const gapTicks = optional(fields, 'gapTicks', wholeOf);
  const [size, middle] = [optional(fields, 'size', text), optional(fields, 'middle', text)];
  return {
    ...(levels === undefined ? {} : { levels }),
    ...(gapTicks === undefined ? {} : { gapTicks }),
    ...(size === undefined ? {} : { size }),
    ...(middle === undefined ? {} : { middle }),
  };
}

function isMarket(value: unknown): value is TestMarket {
  return (
    isFields(value) && typeof value['id'] === 'number' && typeof value['eventSlug'] === 'string'
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rejects unknown fields, which are usually typos. */
function only(fields: Fields, names: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? 'this call takes no fields' : `use ${names.join(', ')}`;
  throw new ControlFault(`Unknown field "${unknown}"; ${known}`);
}

type Read<Value> = (value: unknown, name: string) => Value;

function required<Value>(fields: Fields, name: string, read: Read<Value>): Value {
  if (fields[name] === undefined) throw new ControlFault(`Missing "${name}"`);
  return read(fields[name], name);
}

function optional<Value>(fields: Fields, name: string, read: Read<Value>): Value | undefined {
  return fields[name] === undefined ? undefined : read(fields[name], name);
}

const text: Read<string> = (value, name) => {
  if (typeof value === 'string') return value;
  throw new ControlFault(`"${name}" must be a string`);
};

const wholeOf: Read<number> = (value, name) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ControlFault(`"${name}" must be a whole number`);
};

const flagOf: Read<boolean> = (value, name) => {
  if (typeof value === 'boolean') return value;
  throw new ControlFault(`"${name}" must be true or false`);
};

const durationOf: Read<string | number> = (value, name) => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new ControlFault(`"${name}" must be a number of milliseconds, or a string such as "8h"`);
};

const addressOf: Read<string> = (value, name) => {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)) return value;
  throw new ControlFault(`"${name}" must be an address: 0x and 40 digits`);
};

/**
 * The interval in milliseconds at which a running clock advances. Order delays that expire between
 * two advances end with the later one.
 */
const TURN_MS = 250;

/**
 * A test venue's clock, which follows the machine's clock unless it is held. All calls that change
 * time, prices or the venue run through it one at a time.
 */
export class VenueClock {
  readonly #venue: TestVenue;
  #isHeld: boolean;
  #atMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    venue: TestVenue,
    { isHeld, onFatal }: { readonly isHeld: boolean; readonly onFatal: (error: unknown) => void },
  ) {
    this.#venue = venue;
    this.#isHeld = isHeld;
    this.#timer = setInterval(() => void this.inTurn(() => this.#pass()).catch(onFatal), TURN_MS);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  hold(): void {
    this.#isHeld = true;
  }

  run(): void {
    this.#isHeld = false;
    this.#atMs = performance.now();
  }

  /** Runs the function once all earlier work has finished, whether or not it succeeded. */
  inTurn<Value>(work: () => Promise<Value> | Value): Promise<Value> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#last;
  }

  async #pass(): Promise<void> {
    const nowMs = performance.now();
    const passedMs = Math.floor(nowMs - this.#atMs);
    if (this.#isHeld || this.#timer === undefined || passedMs < TURN_MS / 2) return;
    this.#atMs += passedMs;
    await this.#venue.advance(passedMs);
  }
}
