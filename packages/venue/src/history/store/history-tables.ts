/**
 * The tables of the history, as both databases have them. Addresses and hashes are bytes; kinds are those
 * of `kinds.ts`. A `body` is a row in the words of the wire (`row-codecs.ts`), the columns beside it are
 * what it is found by.
 */
export type HistoryTables = {
  progress: { id: number; text: string; crc: number };
  blocks: {
    height: number;
    time_ms: number;
    hash: Uint8Array;
    /** 48 bits of the hash: where to look, not proof of what is there. */
    hash_key: number;
    parent_hash: Uint8Array;
    state_hash: Uint8Array;
    num_txs: number;
  };
  tx_blocks: { height: number; txs: string; crc: number; packed: Uint8Array | null };
  receipt_blocks: {
    height: number;
    time_ms: number;
    block_hash: string;
    receipts: string;
    crc: number | null;
    packed: Uint8Array | null;
  };
  receipt_keys: { key: number; height: number };
  /** Rows of earlier releases, one by one; new ones are in runs. */
  fills: UserRow & { kind: number; instrument_id: number };
  fill_runs: RunRow;
  fill_run_instruments: RunInstrumentRow;
  /** Rows of earlier releases and eras: of each order the newest, also of those that live. */
  orders: UserRow & { kind: number; instrument_id: number; order_key: number };
  order_runs: RunRow;
  order_run_instruments: RunInstrumentRow;
  /** Those among them that came with another order, by which they are looked for. */
  child_orders: { account: Uint8Array; order_key: number; body: string };
  /** How the orders of a block came to their books (`trace-codec.ts`): those with ids from the first one on. */
  arrivals: { first_oid: number; height: number; time_ms: number; body: Uint8Array };
  /** How those ended that lived on: orders whose ids are near each other and that ended together are one row (`order-buckets.ts`). */
  order_ends: { bucket: number; height: number; body: Uint8Array };
  /** Orders that have ended, by 48 bits of their account and client order id: where to look, not proof of what is there. */
  order_cloids: { cloid_key: number; oid: number; time_ms: number; height: number };
  fundings: UserRow & { instrument_id: number; amount: number };
  /** Height and index are those of the first version. */
  ledger: UserRow & { kind: number; version_height: number; version_idx: number };
  earnings: BuilderRow & { order_id: number };
  claims: BuilderRow;
  builder_days: {
    builder: Uint8Array;
    day: number;
    account: Uint8Array;
    instrument_id: number;
    fee: number;
  };
  builder_totals: { builder: Uint8Array; earned: number; claimed: number };
  withdrawals: {
    account: Uint8Array;
    withdrawal_id: number;
    height: number;
    idx: number;
    time_ms: number;
    body: string;
  };
  candles: { instrument_id: number; step_ms: number; start_ms: number; body: string };
  account_values: { account: Uint8Array; step_ms: number; time_ms: number; body: string };
  liquidations: Position & { instrument_id: number; body: string };
  /** By list (`rows/largest-trades.ts`) and span. */
  largest_trades: { list: number; start_ms: number; body: string };
  open_interest: { instrument_id: number; time_ms: number; body: string };
  markets: { instrument_id: number; slug: string; title: string; event_slug: string };
  settled_events: {
    event_id: number;
    slug: string;
    series_slug: string | null;
    created_ms: number;
    start_ms: number;
    end_ms: number;
    settled_ms: number;
    volume: number;
    tags: string;
    markets: string;
    body: string;
  };
  event_tags: { tag: string; event_id: number };
  settled_markets: { instrument_id: number; slug: string; event_id: number };
};

/** Where a row stands among its user's. */
export type Position = { time_ms: number; height: number; idx: number };

type UserRow = Position & { account: Uint8Array; body: string };
type BuilderRow = Position & { builder: Uint8Array; body: string };

/**
 * Rows of one account that follow each other, packed (`packed/packed-rows.ts`): at the position of the
 * last one. Runs of an account and a kind do not overlap.
 */
export type RunRow = Position & {
  account: Uint8Array;
  kind: number;
  /** The time of the first row. */
  first_ms: number;
  rows: number;
  body: Uint8Array;
};

/** Says that a run has a row of an instrument. */
type RunInstrumentRow = Position & { account: Uint8Array; instrument_id: number; kind: number };

export type TableName = keyof HistoryTables;
