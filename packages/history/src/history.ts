import type {
  Fill,
  FundingRow,
  HistOrderRow,
  LargestTrade,
  LedgerUpdate,
  Liquidation,
  OpenInterestRow,
  OrderReport,
  PortfolioWindow,
} from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { BuiltTree } from './reserves/build-tree.ts';
import type { ReceiptQuery, ReceiptRow } from './receipt.ts';
import type {
  AccountType,
  AccountValueRecord,
  CandleRecord,
  ClaimRecord,
  EarningRecord,
  RowPosition,
  SettledEventRecord,
  WithdrawalRecord,
} from './rows/block-rows.ts';

/** A question to the history and its answer, by name. Times are inclusive, in milliseconds. */
type HistoryQuestions = {
  readonly fills: { ask: UserPage & TypeFilter; answer: Page<Fill> };
  readonly orders: { ask: UserPage & TypeFilter; answer: Page<HistOrderRow> };
  readonly ledger: { ask: UserPage & Pick<TypeFilter, 'accountTypes'>; answer: Page<LedgerUpdate> };
  readonly fundings: {
    ask: UserPage & FundingFilter;
    answer: Page<FundingRow> & { total?: number };
  };
  /** Rows of a user in blocks after one, oldest first, with their blocks; or how many blocks had any. */
  readonly since: { ask: SinceAsk; answer: SinceAnswer };
  readonly earned: { ask: BuilderPage; answer: NumberedPage<EarningRecord> };
  readonly claimed: { ask: BuilderPage; answer: NumberedPage<ClaimRecord> };
  /** Fees by user or instrument since a time, the largest first, and the sum of all of them. */
  readonly shares: {
    ask: {
      readonly builder: Address;
      readonly dimension: 'user' | 'instrument';
      readonly sinceMs: number;
      readonly limit: number;
    };
    answer: {
      readonly rows: readonly { readonly key: string; readonly feeMicroUsdc: number }[];
      readonly totalMicroUsdc: number;
    };
  };
  readonly claimable: {
    ask: { readonly builder: Address };
    answer: {
      readonly earnedMicroUsdc: number;
      readonly claimedMicroUsdc: number;
      readonly hasAny: boolean;
    };
  };
  /** How orders were executed, by id; empty when the user has none that is known. */
  readonly executionReport: {
    ask: {
      readonly user: Address;
      readonly by:
        | { readonly orderId: number }
        | { readonly clientOrderId: string }
        | { readonly txHash: string };
    };
    answer: readonly OrderReport[];
  };
  readonly receipt: { ask: ReceiptQuery; answer: ReceiptRow | null };
  /** Newest first, below a height. */
  readonly blocks: {
    ask: { readonly before?: number; readonly limit: number };
    answer: readonly BlockRecord[];
  };
  readonly block: {
    ask: { readonly height: number } | { readonly hash: string };
    answer: (BlockRecord & { readonly txs: readonly TxRecordRow[] }) | null;
  };
  /** Where a request stands, and the request itself. */
  readonly tx: {
    ask: { readonly txHash: string };
    answer: (TxRecordRow & { readonly index: number; readonly request: string }) | null;
  };
  /** Requests of one block in their order, or the newest of all, with what they say. */
  readonly txs: {
    ask: { readonly height?: number; readonly limit: number };
    answer: readonly (TxRecordRow & { readonly request: string })[];
  };
  /** Requests of one account, newest first. Blocks of earlier releases lead to none. */
  readonly userTxs: {
    ask: Pick<UserPage, 'user' | 'startTime' | 'endTime' | 'limit' | 'cursor'>;
    answer: Page<TxRecordRow & { readonly index: number; readonly request: string }>;
  };
  /** Bars of a step that start in a span, oldest first. */
  readonly bars: {
    ask: {
      readonly instrumentId: number;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
      /** Then the last one before the span comes first, beyond the limit. */
      readonly withPrevious?: boolean;
    };
    answer: readonly CandleRecord[];
  };
  /** What was closed of positions in danger, of one instrument or of all, newest first. */
  readonly liquidations: {
    ask: Omit<UserPage, 'user' | 'offset' | 'asText'> & { readonly instrumentId?: number };
    answer: Page<Liquidation>;
  };
  /** The largest trades of some lists in the spans that begin at a time or later, the largest first. */
  readonly largestTrades: {
    ask: { readonly lists: readonly number[]; readonly startMs: number; readonly limit: number };
    answer: readonly LargestTrade[];
  };
  /** What was held of an instrument, oldest first. */
  readonly openInterest: {
    ask: {
      readonly instrumentId: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly limit: number;
    };
    answer: readonly OpenInterestRow[];
  };
  /** The last value at or before the start, and all after it, oldest first, of a step or coarser. */
  readonly accountValues: {
    ask: {
      readonly user: Address;
      readonly stepMs: number;
      readonly startMs: number;
      readonly endMs: number;
    };
    answer: readonly AccountValueRecord[];
  };
  /** The last value at or before each time, of each user. */
  readonly valuesAt: {
    ask: { readonly users: readonly Address[]; readonly timesMs: readonly number[] };
    answer: readonly (readonly (AccountValueRecord | null)[])[];
  };
  /**
   * What accounts gained and traded within windows, up to now; those that did neither are left out. Of some by name, or of all
   * in portions: `next` is where the portion behind begins.
   */
  readonly accountGains: {
    ask: {
      readonly accounts:
        | { readonly users: readonly Address[] }
        | { readonly from: number; readonly limit: number };
      readonly windows: readonly PortfolioWindow[];
    };
    answer: { readonly rows: readonly AccountGains[]; readonly next: number | null };
  };
  /** An account as it is now: its rows of values are as old as the last border. */
  readonly accountSums: { ask: { readonly user: Address }; answer: AccountSums | null };
  /** Builds the tree over all that is owed, of the state at the block that it waits for or a later one. */
  readonly reserves: { ask: Record<never, never>; answer: BuiltTree };
  /** Newest first, below an id. */
  readonly withdrawals: {
    ask: { readonly user: Address; readonly before?: number; readonly limit: number };
    answer: readonly WithdrawalRecord[];
  };
  readonly settledEvents: { ask: SettledEventsAsk; answer: readonly SettledEventRecord[] };
  readonly settledMarket: {
    ask:
      | { readonly instrumentId: number }
      | { readonly slug: string }
      | { readonly eventSlug: string };
    answer: SettledEventRecord | null;
  };
};

export type HistoryTopic = keyof HistoryQuestions;
/** What the database answers; the sums of now and what is owed are only with who applies the blocks. */
export type StoreTopic = Exclude<HistoryTopic, 'accountGains' | 'accountSums' | 'reserves'>;
export type Ask<Topic extends HistoryTopic> = HistoryQuestions[Topic]['ask'];
export type Answer<Topic extends HistoryTopic> = HistoryQuestions[Topic]['answer'];

export type UserPage = {
  readonly user: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly limit: number;
  readonly offset?: number;
  /** Goes on behind a row of an earlier page, in the same order. */
  readonly cursor?: RowPosition;
  /** Newest first unless told. */
  readonly order?: 'newestFirst' | 'oldestFirst';
  /** The rows as JSON, made by the thread that reads them: who only hands them on does not pay for it. */
  readonly asText?: true;
};

type TypeFilter = {
  readonly accountTypes: readonly AccountType[];
  readonly instrumentId?: number;
};

type FundingFilter = {
  readonly instrumentIds?: readonly number[];
  readonly direction?: 'collected' | 'paid';
};

type SinceAsk = {
  readonly table: WatchedTable;
  readonly user: Address;
  readonly accountTypes: readonly AccountType[];
  readonly after: number;
  readonly upTo: number;
  /** Of rows; of blocks where these are counted, and one more is counted when there are more. */
  readonly limit: number;
  readonly cursor?: RowPosition;
  /** Tells how many blocks had rows, and no rows. */
  readonly counts?: true;
};

/**
 * Rows as they were told with their block. `gone` when some can't be told any more: they are too old, or what changes is
 * kept as it was last.
 */
export type SinceAnswer =
  | 'gone'
  | {
      readonly rows: readonly { readonly height: number; readonly row: unknown }[];
      readonly next: RowPosition | null;
      readonly blocks?: number;
    };

/** `next` is where the page behind this one begins; null when there is none. */
export type Page<Row> = {
  readonly rows: readonly Row[];
  readonly next: RowPosition | null;
  /** Instead of the rows, where they were asked for as text. */
  readonly text?: RowsText;
};

type RowsText = { readonly json: string; readonly count: number };

export type BuilderPage = {
  readonly builder: Address;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly page: number;
  readonly pageSize: number;
  /** Goes on behind a row of an earlier page, in the same order; `page` is 0 then. */
  readonly cursor?: RowPosition;
  /** Newest first unless told. */
  readonly order?: 'oldestFirst';
};

/** The total is of all rows, wherever a cursor stands. */
export type NumberedPage<Row> = Page<Row> & { readonly total: number };

/** What an account is worth, and the sums of everything that it ever did, in micro-USDC. */
export type AccountSums = Pick<
  AccountValueRecord,
  'value' | 'moneyIn' | 'moneyOut' | 'volume' | 'fees' | 'funding'
>;

/** In micro-USDC; a gain for each window that was asked for. */
export type AccountGains = {
  readonly user: Address;
  readonly value: number;
  readonly gains: readonly { readonly pnl: number; readonly volume: number }[];
};

export type BlockRecord = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly stateHash: string;
  readonly numTxs: number;
};

export type TxRecordRow = {
  readonly txHash: string;
  readonly timeMs: number;
  readonly user: string;
  readonly actionType: string;
  readonly height: number;
  readonly error: string | null;
};

export type SettledEventsAsk = {
  /** By volume, creation, end or start; `zero` is the same key for all. Ties are broken by the event's id. */
  readonly sortBy: 'volume' | 'newest' | 'endingSoon' | 'start' | 'zero';
  readonly order: 'asc' | 'desc';
  /** Only what was settled at this time or before: what the catalogue has let go of. */
  readonly settledBeforeMs: number;
  readonly tag?: string;
  readonly seriesSlug?: string;
  readonly after?: { readonly key: number; readonly eventId: number };
  readonly limit: number;
};

/** How far the history was when it answered. */
export type AsOf = {
  readonly height: number;
  readonly timeMs: number;
  /** The first block with rows, where the log no longer has what came before it. */
  readonly since?: { readonly height: number; readonly timeMs: number };
};

/** Rows of one user that are told as they are made. */
export type WatchedTable = 'fills' | 'orders' | 'fundings' | 'ledger';

export type WatchedRows = {
  readonly fills: readonly { readonly accountTypes: readonly AccountType[]; readonly row: Fill }[];
  readonly orders: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: HistOrderRow;
  }[];
  readonly fundings: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: FundingRow;
  }[];
  readonly ledger: readonly {
    readonly accountTypes: readonly AccountType[];
    readonly row: LedgerUpdate;
  }[];
};

export type Watcher<Table extends WatchedTable> = {
  /** Rows of one block, in order. */
  onRows(height: number, rows: WatchedRows[Table]): void;
};

/** For whom a question is asked: clients take turns, and each pays for its answers. */
export type Asker = {
  /** As its limits count it. */
  readonly client: string;
  /** Told what an answer took, in milliseconds of the thread that found it. */
  readonly spend: (ms: number) => void;
};

export type AskOptions = {
  readonly minHeight?: number;
  /** The venue itself by default. */
  readonly asker?: Asker;
};

/**
 * What ever happened, as the edges see it. It follows the log by itself and may be behind; an answer says
 * how far it was. A question waits, for some seconds, for the newest block that this process has applied,
 * or for the one that it names: whoever was told that an action executed finds its rows. Without that
 * block there is no answer: a page without its newest rows would look like a whole one.
 */
export interface History {
  readonly asOf: AsOf;
  ask<Topic extends HistoryTopic>(
    topic: Topic,
    question: Ask<Topic>,
    options?: AskOptions,
  ): Promise<{ readonly asOf: AsOf; readonly answer: Answer<Topic> }>;
  /**
   * Tells rows of a user from now on. The answer to a question that is asked after this call, and whose
   * `asOf` is A, holds all rows up to A; the watcher is told all of the blocks after the newest one at
   * the time of the call, so rows up to A may come twice and rows after A come once. Blocks are told in
   * order, each before any answer that holds its rows; an answer holds no row of a block after A.
   */
  watch<Table extends WatchedTable>(
    user: Address,
    table: Table,
    watcher: Watcher<Table>,
  ): () => void;
}

/** A read that needs a block which the history did not reach in time. */
export class HistoryBehindError extends Error {
  override readonly name = 'HistoryBehindError';
  readonly asOf: AsOf;
  readonly minHeight: number;

  constructor(asOf: AsOf, minHeight: number) {
    super(`the history is at block ${asOf.height}, but block ${minHeight} is needed`);
    this.asOf = asOf;
    this.minHeight = minHeight;
  }
}

/** The store of the history can't be read now; whoever asks later is answered. */
export class HistoryAwayError extends Error {
  override readonly name = 'HistoryAwayError';
  /** How far it was when it was last heard of. */
  readonly asOf: AsOf;

  constructor(why: string, asOf: AsOf) {
    super(why);
    this.asOf = asOf;
  }
}

/** There is no history to be kept in the database that was named. */
export class HistoryUnusableError extends Error {
  override readonly name = 'HistoryUnusableError';

  constructor(why: string) {
    super(`the history cannot be stored in the database: ${why}`);
  }
}

/** The same history, asked for one client. */
export function historyOf(history: History, asker: Asker): History {
  return {
    get asOf() {
      return history.asOf;
    },
    ask: (topic, question, options) => history.ask(topic, question, { ...options, asker }),
    watch: (user, table, watcher) => history.watch(user, table, watcher),
  };
}
