import { present } from '@oddlot/units';
import type { MarketEvent, SettledMarket } from './outcome-market.ts';

/**
 * The properties that all events of a run share. In slugs, `#` stands for the second in which the
 * event starts.
 */
type Shape = {
  readonly event: string;
  readonly markets: readonly string[];
  readonly mutuallyExclusive: boolean;
  readonly durationMs: number;
  readonly szDecimals: readonly number[];
};

/**
 * The columns of a run hold increasing numbers. The columns of markets are indexed by the market's
 * position in its event.
 */
type Run = Shape & {
  readonly seconds: number[];
  readonly eventIds: number[];
  readonly instrumentIds: readonly number[][];
  readonly fractions: readonly number[][];
};

const SECOND_MS = 1_000;
/** In an event's sum, the fractions of all markets are scaled to millionths. */
const SCALE_DECIMALS = 6;

/**
 * The events whose markets have all been paid out. A series creates tens of thousands of events per
 * year that differ in little except their time. They are stored as columns of numbers and converted
 * to objects when read.
 */
export class PastEvents {
  readonly #runs: Run[] = [];
  readonly #byEvent = new Map<string, Run[]>();
  readonly #byMarket = new Map<string, { readonly run: Run; readonly column: number }[]>();

  /**
   * Adds an event. If its slugs do not contain its start time, returns false and stores nothing.
   */
  add(event: MarketEvent, markets: readonly SettledMarket[]): boolean {
    const shape = shapeOf(event, markets);
    if (shape === undefined) return false;
    const known = this.#byEvent.get(shape.event) ?? [];
    const run =
      known.findLast((each) => isSameShape(each, shape) && continuesRun(each, event)) ??
      this.#open({ ...shape, ...emptyColumns(markets.length) });
    run.seconds.push(Math.floor(event.startMs / SECOND_MS));
    run.eventIds.push(event.eventId);
    for (const [column, { fraction, instrumentId }] of markets.entries()) {
      run.instrumentIds[column]?.push(instrumentId);
      run.fractions[column]?.push(fraction);
    }
    return true;
  }

  event(slug: string): MarketEvent | undefined {
    for (const { seconds, text } of readingsOf(slug)) {
      for (const run of this.#byEvent.get(text) ?? []) {
        const row = placeOf(run.seconds, seconds);
        if (row >= 0) return eventAt(run, row);
      }
    }
    return undefined;
  }

  marketIdOf(slug: string): number | undefined {
    for (const { seconds, text } of readingsOf(slug)) {
      for (const { column, run } of this.#byMarket.get(text) ?? []) {
        const row = placeOf(run.seconds, seconds);
        if (row >= 0) return run.instrumentIds[column]?.[row];
      }
    }
    return undefined;
  }

  market(instrumentId: number): SettledMarket | undefined {
    for (const run of this.#runs) {
      for (const [column, ids] of run.instrumentIds.entries()) {
        const row = placeOf(ids, instrumentId);
        if (row >= 0) return marketAt(run, column, row);
      }
    }
    return undefined;
  }

  hasEventId(eventId: number): boolean {
    return this.#runs.some(({ eventIds }) => placeOf(eventIds, eventId) >= 0);
  }

  *events(): Generator<MarketEvent> {
    for (const run of this.#runs) {
      for (const row of run.seconds.keys()) yield eventAt(run, row);
    }
  }

  *markets(): Generator<SettledMarket> {
    for (const run of this.#runs) {
      for (const row of run.seconds.keys()) {
        for (const column of run.markets.keys()) yield marketAt(run, column, row);
      }
    }
  }

  *marketIds(): Generator<number> {
    for (const { instrumentIds } of this.#runs) yield* instrumentIds.flat();
  }

  /**
   * Returns the runs for a dump: increasing columns as run lengths, and fractions as a string (see
   * `fractionsToText`).
   */
  dump() {
    return this.#runs.map(({ eventIds, fractions, instrumentIds, seconds, ...shape }) => ({
      ...shape,
      seconds: toRunLengths(seconds),
      eventIds: toRunLengths(eventIds),
      instrumentIds: instrumentIds.map(toRunLengths),
      fractions: fractions.map((column, at) => fractionsToText(column, unitAt(shape, at))),
    }));
  }

  restore(runs: ReturnType<PastEvents['dump']>): void {
    for (const run of runs) {
      const shape: Shape = run;
      this.#open({
        ...run,
        seconds: fromRunLengths(run.seconds),
        eventIds: fromRunLengths(run.eventIds),
        instrumentIds: run.instrumentIds.map(fromRunLengths),
        fractions: run.fractions.map((text, at) => fractionsFromText(text, unitAt(shape, at))),
      });
    }
  }

  #open(run: Run): Run {
    this.#runs.push(run);
    this.#byEvent.set(run.event, [...(this.#byEvent.get(run.event) ?? []), run]);
    for (const [column, text] of run.markets.entries()) {
      this.#byMarket.set(text, [...(this.#byMarket.get(text) ?? []), { run, column }]);
    }
    return run;
  }
}

function emptyColumns(markets: number): Omit<Run, keyof Shape> {
  const columns = (): number[][] => Array.from({ length: markets }, () => []);
  return { seconds: [], eventIds: [], instrumentIds: columns(), fractions: columns() };
}

function shapeOf(event: MarketEvent, markets: readonly SettledMarket[]): Shape | undefined {
  const { endMs, mutuallyExclusive, startMs } = event;
  if (startMs % SECOND_MS !== 0) return undefined;
  const seconds = Math.floor(startMs / SECOND_MS);
  const textOf = (slug: string): string | undefined =>
    readingsOf(slug).find((reading) => reading.seconds === seconds)?.text;
  const text = textOf(event.slug);
  const texts = markets.flatMap(({ slug }) => textOf(slug) ?? []);
  if (text === undefined || texts.length < markets.length) return undefined;
  const szDecimals = markets.map((market) => market.szDecimals);
  const durationMs = endMs - startMs;
  return { event: text, markets: texts, mutuallyExclusive, durationMs, szDecimals };
}

function isSameShape(a: Shape, b: Shape): boolean {
  return (
    a.event === b.event &&
    a.mutuallyExclusive === b.mutuallyExclusive &&
    a.durationMs === b.durationMs &&
    a.markets.length === b.markets.length &&
    a.markets.every((text, at) => text === b.markets[at]) &&
    a.szDecimals.every((decimals, at) => decimals === b.szDecimals[at])
  );
}

/**
 * Returns true if the event can be appended to the run. Binary search needs increasing columns, so
 * an event that would break the order starts another run.
 */
function continuesRun(run: Run, { eventId, instrumentIds, startMs }: MarketEvent): boolean {
  const isAbove = (column: readonly number[] | undefined, next: number): boolean =>
    next > (column?.at(-1) ?? -1);
  return (
    isAbove(run.seconds, Math.floor(startMs / SECOND_MS)) &&
    isAbove(run.eventIds, eventId) &&
    instrumentIds.every((id, at) => isAbove(run.instrumentIds[at], id))
  );
}

function eventAt(run: Run, row: number): MarketEvent {
  const seconds = run.seconds[row] ?? 0;
  const startMs = seconds * SECOND_MS;
  const instrumentIds = run.instrumentIds.map((ids) => ids[row] ?? 0);
  const fractions = run.fractions.map(
    (column, at) => (column[row] ?? 0) * 10 ** (run.szDecimals[at] ?? 0),
  );
  return {
    eventId: run.eventIds[row] ?? 0,
    slug: slugOf(run.event, seconds),
    mutuallyExclusive: run.mutuallyExclusive,
    startMs,
    endMs: startMs + run.durationMs,
    instrumentIds,
    resolved: instrumentIds.length,
    fractionSum: fractions.reduce((sum, each) => sum + each, 0),
  };
}

function marketAt(run: Run, column: number, row: number): SettledMarket {
  const seconds = run.seconds[row] ?? 0;
  return {
    instrumentId: run.instrumentIds[column]?.[row] ?? 0,
    slug: slugOf(present(run.markets[column], 'the text of a column'), seconds),
    eventSlug: slugOf(run.event, seconds),
    szDecimals: run.szDecimals[column] ?? 0,
    fraction: run.fractions[column]?.[row] ?? 0,
  };
}

const slugOf = (text: string, seconds: number): string => text.replace('#', String(seconds));

/**
 * Returns every interpretation of a slug in which one of its numbers is the start time in seconds.
 * A slug never contains `#`.
 */
function readingsOf(slug: string): { readonly text: string; readonly seconds: number }[] {
  const readings: { text: string; seconds: number }[] = [];
  for (const { 0: digits, index } of slug.matchAll(/\d+/g)) {
    const seconds = Number(digits);
    const text = `${slug.slice(0, index)}#${slug.slice(index + digits.length)}`;
    if (String(seconds) === digits) readings.push({ text, seconds });
  }
  return readings;
}

/**
 * Returns the index of a number in an increasing column by binary search, or a negative number if
 * it is absent.
 */
function placeOf(column: readonly number[], target: number): number {
  let low = 0;
  let high = column.length - 1;
  if (high < 0 || target < (column[0] ?? 0) || target > (column[high] ?? 0)) return -1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = column[middle] ?? 0;
    if (found === target) return middle;
    if (found < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Returns the value 1.00 in a market's price units. */
const unitAt = ({ szDecimals }: Shape, column: number): number =>
  10 ** (SCALE_DECIMALS - (szDecimals[column] ?? 0));

/**
 * Encodes fractions as a string. Nearly all are 0 or the whole unit, written as `0` and `1`; all
 * others are written between commas.
 */
function fractionsToText(fractions: readonly number[], unit: number): string {
  const word = (fraction: number): string =>
    fraction === 0 ? '0' : fraction === unit ? '1' : `,${fraction},`;
  return fractions.map(word).join('');
}

function fractionsFromText(text: string, unit: number): number[] {
  return text.split(',').flatMap((part, at) => {
    if (at % 2 === 1) return [Number(part)];
    return Array.from(part, (digit) => (digit === '1' ? unit : 0));
  });
}

/**
 * Encodes increasing numbers as differences, each with its number of repetitions: `[first, 1, step,
 * times, …]`.
 */
export function toRunLengths(numbers: readonly number[]): number[] {
  const lengths: number[] = [];
  let before = 0;
  for (const number of numbers) {
    const step = number - before;
    before = number;
    if (lengths.at(-2) === step) lengths.push((lengths.pop() ?? 0) + 1);
    else lengths.push(step, 1);
  }
  return lengths;
}

export function fromRunLengths(lengths: readonly number[]): number[] {
  const numbers: number[] = [];
  let before = 0;
  for (let at = 0; at < lengths.length; at += 2) {
    const step = lengths[at] ?? 0;
    for (let times = lengths[at + 1] ?? 0; times > 0; times -= 1) numbers.push((before += step));
  }
  return numbers;
}
