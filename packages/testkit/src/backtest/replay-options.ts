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

/**
 * A trading program. It is called once before the first row, and returns the function to call at
 * each turn.
 */
export type Bot = (start: BotStart) => BotTurn | Promise<BotTurn>;

export type BotStart = {
  /** The client, which signs with the account's key. */
  readonly client: Client;
  readonly account: TestAccount;
  readonly instrument: Instrument;
  /**
   * The venue, which provides the time. If a bot changes the venue's clock or prices, it changes
   * the replayed market.
   */
  readonly venue: TestVenue;
};

export type BotTurn = (moment: BotMoment) => unknown;

export type BotMoment = {
  readonly timeMs: number;
  /** The last recorded price, as decimal text. */
  readonly price: string;
  /** The rows recorded since the last turn. Future rows are never included. */
  readonly rows: readonly RecordedRow[];
};

export type ReplayOptions = {
  readonly recording: Recording;
  readonly bot: Bot;
  /** The perp to trade. The default is `BTC`. */
  readonly market?: string;
  /** The listing and settlement of an outcome market, to be replayed instead of a perp. */
  readonly outcome?: OutcomeInput;
  /** The bot's initial balance as decimal text. The default is `10000`. */
  readonly usdc?: string;
  /** The interval between turns. By default, the bot has a turn after every row. */
  readonly every?: Duration;
  /** The quotes placed around the price if the recording has no books. */
  readonly quotes?: QuotedBook;
  /**
   * The seed for details that were not recorded, such as which extreme of a candle was reached
   * first.
   */
  readonly seed?: string;
  /** Venue settings, as flags. */
  readonly flags?: StartVenueOptions['flags'];
  /** A file to which the report is written as an HTML page. */
  readonly page?: string;
};

/**
 * The listing of an outcome market, and the payout of a YES share at the end of the recording, from
 * 0 to 1.
 */
export type OutcomeInput = MarketInput & { readonly settlementFraction: string };

/** No payout fraction has this many decimals. */
const FRACTION_DECIMALS = 18;
const ONE = 10n ** BigInt(FRACTION_DECIMALS);

/**
 * Rejects invalid options before the replay starts, because replaying a recording can take hours.
 */
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
  const parsed =
    typeof fraction === 'string' ? parseDecimal(fraction, FRACTION_DECIMALS) : undefined;
  if (parsed !== undefined && parsed.floor >= 0n && parsed.floor <= ONE) return;
  const shown = fraction === undefined ? 'is missing' : `is ${JSON.stringify(fraction)}`;
  throw new RangeError(
    `outcome.settlementFraction ${shown}. Use the payout of a YES share, as a decimal string from "0" to "1"`,
  );
}

/** Throws unless the payout is a multiple of the market's price unit. */
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
