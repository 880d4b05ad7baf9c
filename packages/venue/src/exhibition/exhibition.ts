import {
  type Command,
  type EventListing,
  type MarketListing,
  type SeriesListing,
  type State,
  utcDay,
  utcMinute,
} from '@oddlot/engine';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { Replica } from '@oddlot/replica/replica';
import { timeMs } from '@oddlot/units';
import {
  EVENT_TEMPLATES,
  type EventTemplate,
  GRID,
  lastStartMs,
  type MarketTemplate,
  SERIES_DELAY_MS,
  SERIES_TEMPLATES,
  type SeriesTemplate,
} from './event-templates.ts';
import { exhibitionResults, type ResultOptions, seedCommitment } from './exhibition-results.ts';
import type { FairPaths } from './fair-paths.ts';
import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';

type ExhibitionParts = Omit<ExhibitionOptions, 'nowMs'> & {
  readonly replica: Replica;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly onError: (error: unknown) => void;
};

const EVERY_MS = 1_000;

/**
 * Lists and resolves demo events on a venue without other deployers, through commands from the
 * process itself.
 */
export class Exhibition {
  readonly #parts: ExhibitionParts;
  /** The keys of rejected commands, which are not retried. */
  readonly #refused = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(parts: ExhibitionParts) {
    this.#parts = parts;
  }

  /** Resolves once the first events are listed. */
  async start(): Promise<void> {
    await this.look().catch(this.#parts.onError);
    this.#timer = setInterval(() => {
      this.#round ??= this.look()
        .catch(this.#parts.onError)
        .finally(() => (this.#round = undefined));
    }, EVERY_MS);
  }

  /** Resolves once none of its commands is pending. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Proposes all due commands in one block. */
  async look(): Promise<void> {
    const { clock, replica } = this.#parts;
    const nowMs = Math.max(clock.nowMs(), replica.state.timeMs);
    const commands = exhibitionCommands(replica.state, { ...this.#parts, nowMs }).filter(
      (command) => !this.#refused.has(keyOf(command)),
    );
    await Promise.all(commands.map((command) => this.#propose(command)));
  }

  async #propose(command: Command): Promise<void> {
    const { log, replica } = this.#parts;
    const { outcome } = await replica.propose(command);
    const about = keyOf(command);
    if (outcome.reject === undefined) {
      log.debug({ about }, 'demo markets resumed');
      return;
    }
    this.#refused.add(about);
    log.warn({ about, reason: outcome.reject.reason }, 'demo market command rejected');
  }
}

/** Returns a key that identifies the subject of a command, regardless of its generated fields. */
function keyOf(command: Command): string {
  switch (command.type) {
    case 'registerEvent':
      return `event ${command.event.slug}`;
    case 'registerMarket':
      return `market ${command.market.slug}`;
    case 'registerSeries':
      return `series ${command.series.slug}`;
    case 'resolveMarket':
      return `result of ${command.instrumentId}`;
    default:
      return command.type;
  }
}

type ExhibitionOptions = ResultOptions & {
  /** True if there are reference prices, which are needed for series. */
  readonly hasSeries: boolean;
  /**
   * A note on the source of the prices, included in the texts of series markets; undefined if
   * prices are real.
   */
  readonly seriesNote?: string | undefined;
};

const MINUTE_MS = 60_000;
const PERIOD_MS = { '15m': 15 * MINUTE_MS, '1h': 60 * MINUTE_MS } as const;
/** A strike needs one minute of prices, plus a few seconds for the first of them to arrive. */
const STRIKE_MS = 65_000;
/** A round with less time left than this is no longer listed. */
const ROUND_LEFT_MS_MIN = MINUTE_MS;

/**
 * Returns the missing commands: the running rounds and the next one of each template, the series,
 * and the results of ended markets. They are derived from the state, so that no command is repeated
 * or forgotten, however often the process restarts.
 */
export function exhibitionCommands(state: State, options: ExhibitionOptions): Command[] {
  return [
    ...EVENT_TEMPLATES.flatMap((template) => listings(state, template, options)),
    ...(options.hasSeries
      ? SERIES_TEMPLATES.flatMap((template) => seriesListings(state, template, options))
      : []),
    ...exhibitionResults(state, options),
  ];
}

function listings(
  state: State,
  template: EventTemplate,
  { nowMs, paths }: ExhibitionOptions,
): Command[] {
  return dueStarts(template, nowMs).flatMap((startMs) =>
    roundListings(state, template, startMs, paths),
  );
}

/**
 * Returns the starts of the rounds that should be listed now: the running rounds and the next one.
 */
export function dueStarts(template: EventTemplate, nowMs: number): number[] {
  const { everyMs, roundMs } = template;
  const nextMs = lastStartMs(template, nowMs) + everyMs;
  const running = Math.ceil(roundMs / everyMs);
  return Array.from({ length: running + 1 }, (_, at) => nextMs - (running - at) * everyMs).filter(
    (startMs) => startMs + roundMs - nowMs >= ROUND_LEFT_MS_MIN,
  );
}

function roundListings(
  { outcomes }: State,
  template: EventTemplate,
  startMs: number,
  paths: FairPaths,
): Command[] {
  const event = eventOf(template, startMs);
  const isListed = outcomes.events.has(event.slug);
  const markets = template.markets
    .map((market) => marketOf(event, market, paths))
    .filter(({ slug }) => !outcomes.marketSlugs.has(slug));
  return [
    ...(isListed ? [] : [{ type: 'registerEvent', event } as const]),
    ...markets.map((market) => ({ type: 'registerMarket', market }) as const),
  ];
}

function eventOf(template: EventTemplate, startMs: number): EventListing {
  const { category, description, mutuallyExclusive, roundMs, title } = template;
  const endMs = startMs + roundMs;
  return {
    slug: `${template.slug}-${Math.floor(startMs / 1_000)}`,
    title: `${title} (${spanOf(startMs, endMs)})`,
    description,
    tags: ['exhibition', category],
    mutuallyExclusive,
    category,
    image: null,
    icon: null,
    startMs: timeMs(startMs),
    endMs: timeMs(endMs),
  };
}

/** Formats a time span, such as `15 Nov 2026, 21:55–01:55 UTC`; only the start day is given. */
function spanOf(startMs: number, endMs: number): string {
  return `${utcDay(startMs)}, ${utcMinute(startMs)}–${utcMinute(endMs)} UTC`;
}

function marketOf(event: EventListing, market: MarketTemplate, paths: FairPaths): MarketListing {
  const { groupTitle, outcomes, question } = market;
  const { description, endMs, startMs } = event;
  const slug = `${event.slug}-${market.slug}`;
  return {
    ...GRID,
    question: `${question} (${spanOf(startMs, endMs)})`,
    groupTitle,
    outcomes,
    description: `${description} ${seedCommitment(paths, slug)}`,
    startMs,
    endMs,
    slug,
    eventSlug: event.slug,
    resolutionSource: 'the fair value of the simulated makers of this venue at the close',
    underlying: null,
  };
}

function seriesListings(
  { outcomes }: State,
  { recurrence, slug, symbol, title }: SeriesTemplate,
  { nowMs, seriesNote }: ExhibitionOptions,
): Command[] {
  const known = outcomes.series.get(slug)?.listing;
  const note = seriesNote === undefined ? {} : { note: seriesNote };
  if (known !== undefined) {
    if (known.note === seriesNote) return [];
    // If the venue was started with another price source, upcoming markets state it; all other
    // fields of the series stay unchanged.
    const { note: _before, ...rest } = known;
    return [{ type: 'registerSeries', series: { ...rest, ...note } }];
  }
  const period = PERIOD_MS[recurrence];
  const series: SeriesListing = {
    ...GRID,
    slug,
    title,
    symbol,
    recurrence,
    orderDelayMs: SERIES_DELAY_MS,
    source: 'oracle',
    category: 'crypto',
    tags: ['exhibition', 'crypto'],
    image: null,
    icon: null,
    // A strike needs the prices of the previous minute (R-series).
    firstStartMs: timeMs(Math.ceil((nowMs + STRIKE_MS) / period) * period),
    listAhead: 1,
    enabled: true,
    windowSeconds: 60,
    ...note,
  };
  return [{ type: 'registerSeries', series }];
}

const FILE = 'exhibition-secret';
const BYTES = 32;

/**
 * Returns the secret that demo results are derived from. It is created once and stored in the data
 * folder, so that a restarted venue still has the seeds of open rounds.
 */
export function exhibitionSecret(data: string): Uint8Array {
  return secretFile({
    file: join(data, FILE),
    bytes: BYTES,
    // The data folders of earlier releases and of venues without demo markets have no secret.
    madeWith: undefined,
    remedy: 'remove it; open rounds then pay all outcomes equally',
  });
}
