import {
  type ChannelParams,
  type Fill,
  type FundingRow,
  type HistOrderRow,
  type LedgerUpdate,
  LIMITS,
  type UserFillsUpdate,
  type UserFundingsUpdate,
  type UserHistoricalOrdersUpdate,
  type UserLedgerUpdate,
} from '@oddlot/protocol';
import type { AccountType, RowPosition } from '@oddlot/history/rows/block-rows';
import {
  type Requester,
  type AsOf,
  type History,
  HistoryBehindError,
  historyOf,
  type SinceAnswer,
  type WatchedRows,
  type WatchedTable,
} from '@oddlot/history/history';
import type { ChannelContext, Opening, ChannelFactories, NodeChannel } from './node-channel.ts';
import type { UserParams } from './user-event-channel.ts';
import type { LateSnapshot, LateSource, Past, PastFrame, PastSpan, Stream } from '../stream.ts';

type FillsParams = ChannelParams<'userFills'>;
type OrdersParams = ChannelParams<'userHistoricalOrders'>;
type LedgerParams = ChannelParams<'userNonFundingLedgerUpdates'>;

/**
 * Opens a stream of one user's history rows: a snapshot with the newest 200 rows, then one frame
 * for each block that contains any.
 */
function openUserHistory<Table extends WatchedTable, Params extends UserParams, Row>(
  { history, state }: Pick<ChannelContext, 'history' | 'state'>,
  writer: HistoryRowWriter<Table, Params, Row>,
  params: Params,
): Opening {
  const { channel, variant } = writer;
  const key = `${channel}:${params.user}`;
  return {
    ok: true,
    recipe: {
      key: variant === undefined ? key : `${key}:${variant(params)}`,
      channel,
      source: (stream) => {
        const { height } = state();
        return new HistorySource({ history, writer, params, stream, height });
      },
    },
  };
}

const limit = LIMITS.snapshotRowsMax;

export const USER_FILLS: HistoryRowWriter<'fills', FillsParams, Fill> = {
  channel: 'userFills',
  table: 'fills',
  variant: ({ accountType }) => accountType.join(','),
  accountTypes: ({ accountType }) => accountType,
  rows: ({ accountType }, blockRows) => rowsOf(accountType, blockRows),
  async newest(history, { user, accountType: accountTypes }) {
    const { asOf, answer } = await history.ask('fills', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const update: UserFillsUpdate = { user, ...marked(isSnapshot), fills: [...rows] };
    return JSON.stringify(update);
  },
};

const USER_HISTORICAL_ORDERS: HistoryRowWriter<'orders', OrdersParams, HistOrderRow> = {
  channel: 'userHistoricalOrders',
  table: 'orders',
  variant: ({ accountType }) => accountType.join(','),
  accountTypes: ({ accountType }) => accountType,
  rows: ({ accountType }, blockRows) => rowsOf(accountType, blockRows),
  async newest(history, { user, accountType: accountTypes }) {
    const { asOf, answer } = await history.ask('orders', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const orderHistory = [...rows];
    const update: UserHistoricalOrdersUpdate = { user, ...marked(isSnapshot), orderHistory };
    return JSON.stringify(update);
  },
};

const USER_LEDGER: HistoryRowWriter<'ledger', LedgerParams, LedgerUpdate> = {
  channel: 'userNonFundingLedgerUpdates',
  table: 'ledger',
  variant: ({ accountTypes }) => accountTypes.join(','),
  accountTypes: ({ accountTypes }) => accountTypes,
  rows: ({ accountTypes }, blockRows) => rowsOf(accountTypes, blockRows),
  async newest(history, { user, accountTypes }) {
    const { asOf, answer } = await history.ask('ledger', { user, accountTypes, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const nonFundingLedgerUpdates = [...rows];
    const update: UserLedgerUpdate = { user, ...marked(isSnapshot), nonFundingLedgerUpdates };
    return JSON.stringify(update);
  },
};

const USER_FUNDINGS: HistoryRowWriter<'fundings', UserParams, FundingRow> = {
  channel: 'userFundings',
  table: 'fundings',
  accountTypes: () => ['perp'],
  rows: (_, blockRows) => blockRows.map(({ row }) => row),
  async newest(history, { user }) {
    const { asOf, answer } = await history.ask('fundings', { user, limit });
    return { asOf, rows: answer.rows };
  },
  frame({ user }, rows, isSnapshot) {
    const update: UserFundingsUpdate = { user, ...marked(isSnapshot), fundings: [...rows] };
    return JSON.stringify(update);
  },
};

function rowsOf<Row>(
  requested: readonly AccountType[],
  blockRows: readonly { readonly accountTypes: readonly AccountType[]; readonly row: Row }[],
): readonly Row[] {
  const isIncluded = (types: readonly AccountType[]) =>
    types.some((type) => requested.includes(type));
  return blockRows.filter(({ accountTypes }) => isIncluded(accountTypes)).map(({ row }) => row);
}

function marked(isSnapshot: true | undefined): { isSnapshot?: true } {
  return isSnapshot === undefined ? {} : { isSnapshot };
}

/** Selects and formats the rows of a channel. */
type HistoryRowWriter<Table extends WatchedTable, Params extends UserParams, Row> = {
  readonly channel: string;
  readonly table: Table;
  /** Distinguishes the streams of one user. Channels with one stream per user omit it. */
  readonly variant?: (params: Params) => string;
  /** Returns the rows of a block that belong to the stream, in order. */
  rows(params: Params, blockRows: WatchedRows[Table]): readonly Row[];
  /** Queries the newest rows of the stream, newest first. */
  newest(
    history: History,
    params: Params,
  ): Promise<{ readonly asOf: AsOf; readonly rows: readonly Row[] }>;
  accountTypes(params: Params): readonly AccountType[];
  frame(params: Params, rows: readonly Row[], isSnapshot?: true): string;
};

/**
 * Limits the number of missed frames that a returning client can get. A client that has missed more
 * gets a resync.
 */
const PAST_BLOCKS_MAX = 10_000;
const PAST_ROWS_AT_ONCE = 200;
/** Limits the number of pending queries for the newest rows of one stream. */
const ASKED_AT_ONCE_MAX = 8;

/** Groups rows into one frame per block, even if a block's rows span two pages. */
function framesOf(
  pages: (cursor: RowPosition | undefined) => Promise<SinceAnswer>,
  frame: (rows: readonly unknown[]) => string,
): () => Promise<readonly PastFrame[]> {
  let cursor: RowPosition | null | undefined;
  let height = 0;
  let rows: unknown[] = [];
  return async () => {
    const frames: PastFrame[] = [];
    const end = (): void => {
      if (rows.length > 0) frames.push({ height, data: frame(rows) });
      rows = [];
    };
    while (frames.length === 0 && cursor !== null) {
      const page = await pages(cursor);
      if (page === 'gone') throw new Error('rows were dropped while they were read');
      for (const each of page.rows) {
        if (each.height !== height) end();
        height = each.height;
        rows.push(each.row);
      }
      cursor = page.next;
      if (cursor === null) end();
    }
    return frames;
  };
}

/**
 * A pending query for the newest rows. The history announces the rows of each block in order, and
 * each of its responses is as of a certain block. The subscribers get the response and the frames
 * of later blocks, so they receive each row once, however long the query takes.
 */
type UnderWay = {
  readonly snapshot: Promise<LateSnapshot>;
  /** The blocks of the frames published since the query was sent. */
  readonly sinceAsked: number[];
};

export class HistorySource<
  Table extends WatchedTable,
  Params extends UserParams,
  Row,
> implements LateSource {
  readonly #history: History;
  readonly #writer: HistoryRowWriter<Table, Params, Row>;
  readonly #params: Params;
  readonly #stream: Stream;
  readonly #unwatch: () => void;
  /**
   * The block of the newest published frame, initially the newest block of the venue. Rows up to
   * this block are not published again.
   */
  #height: number;
  /**
   * Pending queries by client. A query is shared only within one client, because it has to wait for
   * that client's turn.
   */
  readonly #underWay = new Map<string, UnderWay>();

  constructor(options: {
    history: History;
    writer: HistoryRowWriter<Table, Params, Row>;
    params: Params;
    stream: Stream;
    /** The height of the venue's newest block. */
    height: number;
  }) {
    this.#height = options.height;
    this.#history = options.history;
    this.#writer = options.writer;
    this.#params = options.params;
    this.#stream = options.stream;
    const { table } = options.writer;
    this.#unwatch = options.history.watch(options.params.user, table, {
      onRows: (height, rows) => this.#publish(height, rows),
    });
  }

  /**
   * Returns the snapshot of a pending query if the same client has one. If many clients return at
   * once, the later ones share the first responses.
   */
  snapshotLater(requester: Requester): Promise<LateSnapshot> {
    const { client } = requester;
    const known = this.#underWay.get(client);
    if (known !== undefined) return known.snapshot;
    if (this.#underWay.size >= ASKED_AT_ONCE_MAX) {
      return Promise.any([...this.#underWay.values()].map(({ snapshot }) => snapshot));
    }
    const sinceAsked: number[] = [];
    const snapshot = this.#ask(historyOf(this.#history, requester), sinceAsked).finally(() =>
      this.#underWay.delete(client),
    );
    this.#underWay.set(client, { snapshot, sinceAsked });
    return snapshot;
  }

  /** Waits for a response from the history, which announces the rows of earlier blocks first. */
  reached(height: number, requester: Requester): Promise<unknown> | undefined {
    if (height <= this.#height) return undefined;
    const { table } = this.#writer;
    const { user } = this.#params;
    const accountTypes = this.#writer.accountTypes(this.#params);
    const question = { table, user, accountTypes, after: height, upTo: height, limit: 1 };
    return historyOf(this.#history, requester).ask('since', question, { minHeight: height });
  }

  /**
   * Returns one frame for each missed block with rows, read page by page. The query waits until the
   * history has stored block `upTo`.
   */
  async past({ after, upTo }: PastSpan, requester: Requester): Promise<Past | 'tooOld'> {
    const history = historyOf(this.#history, requester);
    const { table } = this.#writer;
    const { user } = this.#params;
    const accountTypes = this.#writer.accountTypes(this.#params);
    const question = { table, user, accountTypes, after, upTo };
    const options = { minHeight: upTo };
    const { answer, asOf } = await history.ask(
      'since',
      { ...question, limit: PAST_BLOCKS_MAX, counts: true },
      options,
    );
    const isBefore = asOf.since !== undefined && after + 1 < asOf.since.height;
    if (answer === 'gone' || isBefore) return 'tooOld';
    const { blocks: count = 0 } = answer;
    if (count > PAST_BLOCKS_MAX) return 'tooOld';
    const frame = (rows: readonly Row[]): string => this.#writer.frame(this.#params, rows);
    const pages = async (cursor: RowPosition | undefined) => {
      const behind = cursor === undefined ? {} : { cursor };
      const page = { ...question, ...behind, limit: PAST_ROWS_AT_ONCE };
      return (await history.ask('since', page, options)).answer;
    };
    return { count, next: framesOf(pages, frame as (rows: readonly unknown[]) => string) };
  }

  close(): void {
    this.#unwatch();
  }

  #publish(height: number, blockRows: WatchedRows[Table]): void {
    // A history that is being rebuilt announces rows that were already published.
    if (height <= this.#height) return;
    const rows = this.#writer.rows(this.#params, blockRows);
    if (rows.length === 0) return;
    this.#height = height;
    for (const { sinceAsked } of this.#underWay.values()) sinceAsked.push(height);
    this.#stream.publish(this.#writer.frame(this.#params, rows), height);
  }

  async #ask(history: History, sinceAsked: readonly number[]): Promise<LateSnapshot> {
    const { seq } = this.#stream;
    const publishedHeight = this.#height;
    const { asOf, rows } = await this.#writer.newest(history, this.#params);
    const { height } = asOf;
    if (height < publishedHeight) {
      // While the history is being rebuilt, its response lacks rows that precede the next frame.
      throw new HistoryBehindError(asOf, publishedHeight);
    }
    const contained = sinceAsked.filter((each) => each <= height).length;
    const data = this.#writer.frame(this.#params, rows, true);
    return { data, seq: seq + contained, height };
  }
}

/** These channels ignore blocks, because new rows are announced by the history. */
function serve<Table extends WatchedTable, Params extends UserParams, Row>(
  writer: HistoryRowWriter<Table, Params, Row>,
) {
  return (context: ChannelContext): NodeChannel<Params> => ({
    open: (params) => openUserHistory(context, writer, params),
    onBlock: () => undefined,
  });
}

export const USER_HISTORY_CHANNELS = {
  userFills: serve(USER_FILLS),
  userHistoricalOrders: serve(USER_HISTORICAL_ORDERS),
  userNonFundingLedgerUpdates: serve(USER_LEDGER),
  userFundings: serve(USER_FUNDINGS),
} as const satisfies ChannelFactories;
