import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDecimal, parseExact } from '@oddlot/units';
import { durationMs } from '../duration.ts';
import type { QuotedBook } from './recorded-market.ts';
import type { ReplayOptions } from './replay-options.ts';

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
    throw new RangeError('The interval of a bot must be above zero');
  }
  if (quotes !== undefined) checkQuotes(quotes);
  if (page !== undefined) checkPage(page);
}

function checkFraction(fraction: unknown): void {
  const told = typeof fraction === 'string' ? parseDecimal(fraction, FRACTION_DECIMALS) : undefined;
  if (told !== undefined && told.floor >= 0n && told.floor <= ONE) return;
  const shown = fraction === undefined ? 'is missing' : `is ${JSON.stringify(fraction)}`;
  throw new RangeError(
    `outcome.settlementFraction ${shown}. Write what a YES share pays as decimal text from "0" to "1"`,
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
