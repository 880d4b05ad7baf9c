import type { Kysely, Transaction } from 'kysely';
import { present } from '@oddlot/units';
import type {
  FundingRow,
  LargestTrade,
  LedgerUpdate,
  Liquidation,
  OpenInterestRow,
} from '@oddlot/protocol';
import type {
  AccountValueRecord,
  CandleRecord,
  ClaimRecord,
  EarningRecord,
  RankedTrade,
  WithdrawalRecord,
} from '../rows/block-rows.ts';
import { POSITION, type RowsOf, type Table, table, tupleCodec } from './table.ts';

export const DAY_MS = 86_400_000;

const largestTradeCodec = tupleCodec<LargestTrade>([
  'coin',
  'instrumentId',
  'side',
  'px',
  'sz',
  'time',
  'hash',
  'tid',
  'users',
  'liquidation',
  'outcome',
  'price',
  'ntl',
]);

function encodeRanked(trades: readonly RankedTrade[]): string {
  return JSON.stringify(trades.map(({ row, value }) => [value, largestTradeCodec.encode(row)]));
}

function decodeRanked(text: string): RankedTrade[] {
  const pairs = JSON.parse(text) as readonly (readonly [value: number, row: string])[];
  return pairs.map(([value, row]) => ({ value, row: largestTradeCodec.decode(row) }));
}

/**
 * Runs of consecutive packed rows of one account, stored at the position of their last row. Runs of
 * the same account and kind do not overlap. `first_ms` is the time of the first row.
 */
const RUNS = table({
  columns: {
    account: 'bytea',
    kind: 'bigint',
    ...POSITION,
    first_ms: 'bigint',
    rows: 'bigint',
    body: 'bytea',
  },
  key: ['account', 'kind', 'time_ms', 'height', 'idx'],
});

const RUN_INSTRUMENTS = table({
  columns: { account: 'bytea', instrument_id: 'bigint', ...POSITION, kind: 'bigint' },
  key: ['account', 'instrument_id', 'time_ms', 'height', 'idx'],
});

/**
 * All tables, which are the same in both databases, with the codecs of their bodies. Stored rows
 * depend on the order of a codec's fields, so new fields are appended, and none is ever removed or
 * moved.
 */
export const TABLES = {
  blocks: table({
    columns: {
      height: 'bigint',
      time_ms: 'bigint',
      hash: 'bytea',
      /** 48 bits of the hash. Different blocks can have the same key. */
      hash_key: 'bigint',
      parent_hash: 'bytea',
      state_hash: 'bytea',
      num_txs: 'bigint',
    },
    key: ['height'],
  }),
  /** Requests and receipts of consecutive blocks, stored at the height of the last one. */
  chain_runs: table({
    columns: {
      height: 'bigint',
      first_height: 'bigint',
      /** The time of the first block. */
      first_ms: 'bigint',
      txs: 'bigint',
      receipts: 'bigint',
      body: 'bytea',
    },
    key: ['height'],
  }),
  /** The index from the keys of requests and receipts to the runs that contain them. */
  receipt_keys: table({
    columns: { key: 'bigint', height: 'bigint' },
    key: ['key', 'height'],
  }),

  fill_runs: RUNS,
  fill_run_instruments: RUN_INSTRUMENTS,
  order_runs: RUNS,
  order_run_instruments: RUN_INSTRUMENTS,
  /** Orders that were placed with a parent order, by id. */
  child_orders: table({
    columns: { account: 'bytea', order_key: 'bigint', body: 'text' },
    key: ['account', 'order_key'],
    onConflict: 'replace',
  }),
  /**
   * Ended orders, by 48 bits of a hash of the account and the client order id. Different ids can
   * have the same key.
   */
  order_cloids: table({
    columns: { cloid_key: 'bigint', oid: 'bigint', time_ms: 'bigint', height: 'bigint' },
    key: ['cloid_key', 'oid'],
  }),
  /**
   * Rows of orders that were open when release 0.3.0 opened a folder written by release 0.2.0. They
   * apply to orders that have not changed since. No new rows are added.
   */
  open_orders: table({
    columns: {
      account: 'bytea',
      order_key: 'bigint',
      kind: 'bigint',
      ...POSITION,
      instrument_id: 'bigint',
      body: 'text',
    },
    key: ['account', 'order_key'],
  }),

  arrivals: table({
    columns: { first_oid: 'bigint', height: 'bigint', time_ms: 'bigint', body: 'bytea' },
    key: ['first_oid'],
  }),
  /**
   * Ends of orders that arrived in an earlier block. Orders with close ids that ended together
   * share a row.
   */
  order_ends: table({
    columns: { bucket: 'bigint', height: 'bigint', body: 'bytea' },
    key: ['bucket', 'height'],
  }),

  fundings: table({
    columns: {
      account: 'bytea',
      ...POSITION,
      instrument_id: 'bigint',
      amount: 'bigint',
      body: 'text',
    },
    key: ['account', 'time_ms', 'height', 'idx'],
    pruned: { as: 'fundings', owner: ['account'], time: 'time_ms' },
    codec: tupleCodec<FundingRow>(['time', 'coin', 'usdc', 'szi', 'fundingRate', 'amount']),
  }),
  /** The height and the index in the key are those of the row's first version. */
  ledger: table({
    columns: {
      account: 'bytea',
      kind: 'bigint',
      ...POSITION,
      version_height: 'bigint',
      version_idx: 'bigint',
      body: 'text',
    },
    key: ['account', 'kind', 'time_ms', 'height', 'idx'],
    onConflict: { newer: ['version_height', 'version_idx'] },
    pruned: { as: 'ledger', owner: ['account', 'kind'], time: 'time_ms' },
    codec: tupleCodec<LedgerUpdate>(['time', 'hash', 'delta']),
  }),
  withdrawals: table({
    columns: {
      account: 'bytea',
      withdrawal_id: 'bigint',
      height: 'bigint',
      idx: 'bigint',
      time_ms: 'bigint',
      body: 'text',
    },
    key: ['account', 'withdrawal_id'],
    onConflict: { newer: ['height', 'idx'] },
    codec: tupleCodec<WithdrawalRecord>([
      'user',
      'withdrawalId',
      'timeMs',
      'updatedMs',
      'destination',
      'amountMicroUsdc',
      'feeMicroUsdc',
      'status',
      'txHash',
      'error',
    ]),
  }),
  account_values: table({
    columns: { account: 'bytea', step_ms: 'bigint', time_ms: 'bigint', body: 'text' },
    key: ['account', 'step_ms', 'time_ms'],
    onConflict: 'replace',
    pruned: {
      as: 'accountValues',
      owner: ['account', 'step_ms'],
      time: 'time_ms',
      keepsLast: true,
    },
    codec: tupleCodec<AccountValueRecord>([
      'user',
      'stepMs',
      'timeMs',
      'value',
      'moneyIn',
      'moneyOut',
      'volume',
      'fees',
      'funding',
    ]),
  }),

  earnings: table({
    columns: { builder: 'bytea', ...POSITION, order_id: 'bigint', body: 'text' },
    key: ['builder', 'order_id'],
    onConflict: { newer: ['height', 'idx'] },
    pruned: { as: 'earnings', owner: ['builder'], time: 'time_ms' },
    codec: tupleCodec<EarningRecord>([
      'builder',
      'user',
      'orderId',
      'instrumentId',
      'instrumentName',
      'accountType',
      'feeTenthsBp',
      'feeMicroUsdc',
      'addedFeeMicroUsdc',
      'notionalMicroUsdc',
      'qty',
      'price',
      'role',
      'tradeId',
      'txHash',
      'timeMs',
    ]),
  }),
  claims: table({
    columns: { builder: 'bytea', ...POSITION, body: 'text' },
    key: ['builder', 'time_ms', 'height', 'idx'],
    pruned: { as: 'claims', owner: ['builder'], time: 'time_ms' },
    codec: tupleCodec<ClaimRecord>(['builder', 'amountMicroUsdc', 'txHash', 'timeMs']),
  }),
  builder_days: table({
    columns: {
      builder: 'bytea',
      day: 'bigint',
      account: 'bytea',
      instrument_id: 'bigint',
      fee: 'bigint',
    },
    key: ['builder', 'day', 'account', 'instrument_id'],
    onConflict: { add: ['fee'] },
    pruned: { as: 'builderDays', owner: ['builder'], time: 'day', unitMs: DAY_MS },
  }),
  builder_totals: table({
    columns: { builder: 'bytea', earned: 'bigint', claimed: 'bigint' },
    key: ['builder'],
    onConflict: { add: ['earned', 'claimed'] },
  }),

  candles: table({
    columns: { instrument_id: 'bigint', step_ms: 'bigint', start_ms: 'bigint', body: 'text' },
    key: ['instrument_id', 'step_ms', 'start_ms'],
    onConflict: 'replace',
    pruned: { as: 'candles', owner: ['instrument_id', 'step_ms'], time: 'start_ms' },
    codec: tupleCodec<CandleRecord>([
      'instrumentId',
      'stepMs',
      'startMs',
      'open',
      'high',
      'low',
      'close',
      'lots',
      'trades',
    ]),
  }),
  liquidations: table({
    columns: { instrument_id: 'bigint', ...POSITION, body: 'text' },
    key: ['instrument_id', 'time_ms', 'height', 'idx'],
    pruned: { as: 'liquidations', owner: ['instrument_id'], time: 'time_ms' },
    codec: tupleCodec<Liquidation>([
      'time',
      'hash',
      'user',
      'coin',
      'instrumentId',
      'side',
      'sz',
      'px',
      'ntl',
      'step',
      'leverageType',
      'markPx',
      'accountValue',
      'maintenanceMargin',
    ]),
  }),
  /** Ranked trades by list and period, as defined in `rows/market-figures.ts`. */
  largest_trades: table({
    columns: { list: 'bigint', start_ms: 'bigint', body: 'text' },
    key: ['list', 'start_ms'],
    onConflict: 'replace',
    pruned: { as: 'largestTrades', owner: ['list'], time: 'start_ms' },
    codec: { encode: encodeRanked, decode: decodeRanked },
  }),
  open_interest: table({
    columns: { instrument_id: 'bigint', time_ms: 'bigint', body: 'text' },
    key: ['instrument_id', 'time_ms'],
    pruned: { as: 'openInterest', owner: ['instrument_id'], time: 'time_ms' },
    codec: tupleCodec<OpenInterestRow>(['coin', 'time', 'openInterest', 'markPx']),
  }),
  markets: table({
    columns: { instrument_id: 'bigint', slug: 'text', title: 'text', event_slug: 'text' },
    key: ['instrument_id'],
    onConflict: 'replace',
  }),
  settled_events: table({
    columns: {
      event_id: 'bigint',
      slug: 'text',
      series_slug: 'text?',
      created_ms: 'bigint',
      start_ms: 'bigint',
      end_ms: 'bigint',
      settled_ms: 'bigint',
      volume: 'bigint',
      tags: 'text',
      markets: 'text',
      body: 'text',
    },
    key: ['event_id'],
    onConflict: 'replace',
  }),
  event_tags: table({ columns: { tag: 'text', event_id: 'bigint' }, key: ['tag', 'event_id'] }),
  settled_markets: table({
    columns: { instrument_id: 'bigint', slug: 'text', event_id: 'bigint' },
    key: ['instrument_id'],
    onConflict: 'replace',
  }),

  progress: table({
    columns: { id: 'bigint', text: 'text', crc: 'bigint' },
    key: ['id'],
    onConflict: 'replace',
  }),
};

export type HistoryTables = RowsOf<typeof TABLES>;
export type TableName = keyof HistoryTables;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

export function tableOf(name: TableName): Table {
  return TABLES[name] as Table;
}

type Value = string | number | Uint8Array | null;

/**
 * The rows of a batch of blocks, by table. Several versions of an item are merged into one row:
 * most orders are placed and end within one transaction, and then cost a single write.
 */
export class Draft {
  readonly tables = new Map<TableName, (readonly Value[])[]>();
  readonly added: Record<string, number> = {};
  readonly #places = new Map<TableName, Map<string | number, number>>();

  add(name: TableName, row: readonly Value[]): void {
    const rows = this.tables.get(name);
    if (rows === undefined) this.tables.set(name, [row]);
    else rows.push(row);
  }

  /** Replaces the row with the same key, or merges both rows. */
  put(
    name: TableName,
    key: string | number,
    row: readonly Value[],
    merged?: (earlier: readonly Value[]) => readonly Value[],
  ): void {
    let places = this.#places.get(name);
    if (places === undefined) this.#places.set(name, (places = new Map()));
    const place = places.get(key);
    const rows = this.tables.get(name);
    if (place === undefined || rows === undefined) {
      places.set(key, rows?.length ?? 0);
      this.add(name, row);
      return;
    }
    rows[place] = merged?.(present(rows[place], 'a row that was put')) ?? row;
  }

  count(name: string, count = 1): void {
    if (count === 0) return;
    this.added[name] = (this.added[name] ?? 0) + count;
  }
}

/** Rejects if the transaction in progress must not be committed. */
export type Expectation = (transaction: Transaction<HistoryTables>) => Promise<void>;

/** A database with these tables. Its only caller awaits each call before making the next. */
export interface HistoryDriver {
  readonly database: Kysely<HistoryTables>;
  write(tables: Draft['tables'], expect?: Expectation): Promise<void>;
  bytes(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Returns the statement that writes the rows of `source`, which is a list of values or a selection.
 */
export function insertStatement(name: TableName, source: string): string {
  const { columns, key } = tableOf(name);
  const names = Object.keys(columns).map(quoted);
  const into = `INSERT INTO ${quoted(name)} (${names.join(', ')}) ${source}`;
  return `${into} ON CONFLICT (${key.map(quoted).join(', ')}) ${conflictAction(name)}`;
}

function conflictAction(name: TableName): string {
  const { columns, key, onConflict } = tableOf(name);
  if (onConflict === undefined) return 'DO NOTHING';
  const own = quoted(name);
  if (typeof onConflict === 'object' && 'add' in onConflict) {
    const sums = onConflict.add.map(
      (column) => `${quoted(column)} = ${own}.${quoted(column)} + excluded.${quoted(column)}`,
    );
    return `DO UPDATE SET ${sums.join(', ')}`;
  }
  const others = Object.keys(columns).filter((column) => !key.includes(column));
  const set = others.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(', ');
  if (onConflict === 'replace') return `DO UPDATE SET ${set}`;
  const listOf = (from: string): string =>
    onConflict.newer.map((column) => `${from}.${quoted(column)}`).join(', ');
  return `DO UPDATE SET ${set} WHERE (${listOf('excluded')}) >= (${listOf(own)})`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
