import type { Client, Instrument } from '@oddlot/sdk';
import { type Duration, durationMs } from '../duration.ts';
import type { MarketInput } from '../outcome-listing.ts';
import type { StartVenueOptions } from '../start-venue-options.ts';
import type { TestAccount, TestVenue } from '../test-venue.ts';
import type { Recording } from './recording.ts';
import type { QuotedBook } from './recorded-market.ts';
import type { RecordedRow } from './recorded-row.ts';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDecimal, parseExact } from '@oddlot/units';

/** A program that trades: called once before the first row, it hands back what is called at each of its turns. */
export type Bot = (start: BotStart) => BotTurn | Promise<BotTurn>;

export type BotStart = {
  /** Signs with the key of the account. */
  readonly client: Client;
  readonly account: TestAccount;
  readonly instrument: Instrument;
  /** The venue, for its time; whoever moves its clock or its prices replays another market. */
  readonly venue: TestVenue;
};

export type BotTurn = (moment: BotMoment) => unknown;

export type BotMoment = {
  readonly timeMs: number;
  /** The last price of the recording, as decimal text. */
  readonly price: string;
  /** What was recorded since the last turn; nothing of it lies ahead. */
  readonly rows: readonly RecordedRow[];
};

export type ReplayOptions = {
  /** Files, or rows. */
  readonly recording: Recording;
  readonly bot: Bot;
  /** A perp of the venue, such as `BTC`; that is also the default. */
  readonly market?: string;
  /** An outcome market in its place: what is listed, and what it ends with. */
  readonly outcome?: OutcomeInput;
  /** What the bot has at the start, as decimal text; `10000` by default. */
  readonly usdc?: string;
  /** How often the bot has its turn: after every row by default. */
  readonly every?: Duration;
  /** What stands around the price where the recording has no book. */
  readonly quotes?: QuotedBook;
  /** Draws what is not recorded: which end of a candle came first. */
  readonly seed?: string;
  /** Settings of the venue as flags. */
  readonly flags?: StartVenueOptions['flags'];
  /** A file that the report is written to, as a page for a browser. */
  readonly page?: string;
};

/** How an outcome market is listed, and what a YES share of it pays when the recording is over, from 0 to 1. */
export type OutcomeInput = MarketInput & { readonly settlementFraction: string };

/** Finer than any fraction. */
const FRACTION_DECIMALS = 18;
const ONE = 10n ** BigInt(FRACTION_DECIMALS);

/** What can not be is refused before anything is replayed: a recording may take hours. */
export function checkReplayOptions(options: ReplayOptions): void {
  const { bot, every, market, outcome, page, quotes } = options;
  if (typeof bot !== 'function') throw new RangeError('bot must be a function');
  if (outcome !== undefined && market !== undefined) {
    throw new RangeError('Specify either a perp or an outcome market to replay');
  }
  if (outcome !== undefined) checkFraction(outcome.settlementFraction);
  if (every !== undefined && durationMs(every) === 0) {
    throw new RangeError('The interval of the bot must be above zero');
  }
  if (quotes !== undefined) checkQuotes(quotes);
  if (page !== undefined) checkPage(page);
}

function checkFraction(fraction: unknown): void {
  const told = typeof fraction === 'string' ? parseDecimal(fraction, FRACTION_DECIMALS) : undefined;
  if (told !== undefined && told.floor >= 0n && told.floor <= ONE) return;
  const shown = fraction === undefined ? 'is missing' : `is ${JSON.stringify(fraction)}`;
  throw new RangeError(
    `outcome.settlementFraction ${shown}. Use the payout of a YES share, as a decimal string from "0" to "1"`,
  );
}

/** A market has no finer prices, and pays none. */
export function checkFractionDecimals(fraction: string, decimals: number): void {
  if (parseExact(fraction, decimals) !== undefined) return;
  throw new RangeError(
    `outcome.settlementFraction is "${fraction}", but this market has at most ${decimals} decimals`,
  );
}

function checkQuotes({ gap, levels, share }: QuotedBook): void {
  if (levels !== undefined && (!Number.isSafeInteger(levels) || levels < 0)) {
    throw new RangeError(`quotes.levels must be a whole number from zero: ${String(levels)}`);
  }
  for (const [name, part] of Object.entries({ gap, share })) {
    if (part === undefined || (Number.isFinite(part) && part > 0)) continue;
    throw new RangeError(`quotes.${name} must be a number above zero: ${String(part)}`);
  }
}

function checkPage(page: string): void {
  try {
    const isThere = statSync(page, { throwIfNoEntry: false });
    if (isThere?.isDirectory() === true) throw new Error('it is a folder');
    accessSync(isThere === undefined ? dirname(page) : page, constants.W_OK);
  } catch (error) {
    const why = (error as Error).message;
    throw new RangeError(`the page cannot be written to ${page}: ${why}`, { cause: error });
  }
}
