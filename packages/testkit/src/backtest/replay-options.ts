import type { Client, Instrument } from '@oddlot/sdk';
import type { Duration } from '../duration.ts';
import type { MarketInput } from '../outcome-listing.ts';
import type { StartVenueOptions } from '../start-venue-options.ts';
import type { TestAccount } from '../test-account.ts';
import type { TestVenue } from '../test-venue.ts';
import type { Recording } from './merge-rows.ts';
import type { QuotedBook } from './recorded-market.ts';
import type { RecordedRow } from './recorded-row.ts';

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
