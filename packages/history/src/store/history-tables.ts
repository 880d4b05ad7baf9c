/**
 * The tables of the history, as both databases have them. Addresses and hashes are bytes; kinds are those
 * of `row-codecs.ts`. A `body` is a row in the words of the wire (`row-codecs.ts`), the columns beside it are
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
  /** How those ended that lived on: orders whose ids are near each other and that ended together are one row (`trace-codec.ts`). */
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
  /** By list (`rows/market-figures.ts`) and span. */
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

/**
 * How rows are written in bulk, the same on both databases. Each table says what happens to a row whose
 * key is there: `keep` the one that is, `replace` it, replace it by a `newer` version only, or `add` up.
 */
type Column<Name extends TableName> = keyof HistoryTables[Name] & string;
type ColumnType = 'bigint' | 'bytea' | 'text';

type TableSpec<Name extends TableName = TableName> = {
  readonly columns: { readonly [Key in Column<Name>]: ColumnType };
  readonly key: readonly Column<Name>[];
  readonly onConflict:
    | 'keep'
    | 'replace'
    | { readonly newer: readonly Column<Name>[] }
    | { readonly add: readonly Column<Name>[] };
};

const POSITION = { time_ms: 'bigint', height: 'bigint', idx: 'bigint' } as const;

const RUN_COLUMNS = {
  account: 'bytea',
  kind: 'bigint',
  ...POSITION,
  first_ms: 'bigint',
  rows: 'bigint',
  body: 'bytea',
} as const;
const RUN_KEY = ['account', 'kind', 'time_ms', 'height', 'idx'] as const;
const RUN_INSTRUMENT_COLUMNS = {
  account: 'bytea',
  instrument_id: 'bigint',
  ...POSITION,
  kind: 'bigint',
} as const;
const RUN_INSTRUMENT_KEY = ['account', 'instrument_id', 'time_ms', 'height', 'idx'] as const;

/** In the order in which they are written. */
export const TABLE_SPECS: { readonly [Name in TableName]: TableSpec<Name> } = {
  blocks: {
    columns: {
      height: 'bigint',
      time_ms: 'bigint',
      hash: 'bytea',
      hash_key: 'bigint',
      parent_hash: 'bytea',
      state_hash: 'bytea',
      num_txs: 'bigint',
    },
    key: ['height'],
    onConflict: 'keep',
  },
  tx_blocks: {
    columns: { height: 'bigint', txs: 'text', crc: 'bigint', packed: 'bytea' },
    key: ['height'],
    onConflict: 'keep',
  },
  receipt_blocks: {
    columns: {
      height: 'bigint',
      time_ms: 'bigint',
      block_hash: 'text',
      receipts: 'text',
      crc: 'bigint',
      packed: 'bytea',
    },
    key: ['height'],
    // What an earlier release left is replaced by what this one computes, which has its checksum.
    onConflict: 'replace',
  },
  receipt_keys: {
    columns: { key: 'bigint', height: 'bigint' },
    key: ['key', 'height'],
    onConflict: 'keep',
  },
  fills: {
    columns: {
      account: 'bytea',
      kind: 'bigint',
      ...POSITION,
      instrument_id: 'bigint',
      body: 'text',
    },
    key: ['account', 'kind', 'time_ms', 'height', 'idx'],
    onConflict: 'keep',
  },
  fill_runs: { columns: RUN_COLUMNS, key: RUN_KEY, onConflict: 'keep' },
  fill_run_instruments: {
    columns: RUN_INSTRUMENT_COLUMNS,
    key: RUN_INSTRUMENT_KEY,
    onConflict: 'keep',
  },
  orders: {
    columns: {
      account: 'bytea',
      kind: 'bigint',
      ...POSITION,
      instrument_id: 'bigint',
      order_key: 'bigint',
      body: 'text',
    },
    key: ['order_key'],
    onConflict: { newer: ['height', 'idx'] },
  },
  order_runs: { columns: RUN_COLUMNS, key: RUN_KEY, onConflict: 'keep' },
  order_run_instruments: {
    columns: RUN_INSTRUMENT_COLUMNS,
    key: RUN_INSTRUMENT_KEY,
    onConflict: 'keep',
  },
  child_orders: {
    columns: { account: 'bytea', order_key: 'bigint', body: 'text' },
    key: ['account', 'order_key'],
    onConflict: 'replace',
  },
  arrivals: {
    columns: { first_oid: 'bigint', height: 'bigint', time_ms: 'bigint', body: 'bytea' },
    key: ['first_oid'],
    onConflict: 'keep',
  },
  order_ends: {
    columns: { bucket: 'bigint', height: 'bigint', body: 'bytea' },
    key: ['bucket', 'height'],
    onConflict: 'keep',
  },
  order_cloids: {
    columns: { cloid_key: 'bigint', oid: 'bigint', time_ms: 'bigint', height: 'bigint' },
    key: ['cloid_key', 'oid'],
    onConflict: 'keep',
  },
  fundings: {
    columns: {
      account: 'bytea',
      ...POSITION,
      instrument_id: 'bigint',
      amount: 'bigint',
      body: 'text',
    },
    key: ['account', 'time_ms', 'height', 'idx'],
    onConflict: 'keep',
  },
  ledger: {
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
  },
  earnings: {
    columns: { builder: 'bytea', ...POSITION, order_id: 'bigint', body: 'text' },
    key: ['builder', 'order_id'],
    onConflict: { newer: ['height', 'idx'] },
  },
  claims: {
    columns: { builder: 'bytea', ...POSITION, body: 'text' },
    key: ['builder', 'time_ms', 'height', 'idx'],
    onConflict: 'keep',
  },
  builder_days: {
    columns: {
      builder: 'bytea',
      day: 'bigint',
      account: 'bytea',
      instrument_id: 'bigint',
      fee: 'bigint',
    },
    key: ['builder', 'day', 'account', 'instrument_id'],
    onConflict: { add: ['fee'] },
  },
  builder_totals: {
    columns: { builder: 'bytea', earned: 'bigint', claimed: 'bigint' },
    key: ['builder'],
    onConflict: { add: ['earned', 'claimed'] },
  },
  withdrawals: {
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
  },
  candles: {
    columns: { instrument_id: 'bigint', step_ms: 'bigint', start_ms: 'bigint', body: 'text' },
    key: ['instrument_id', 'step_ms', 'start_ms'],
    onConflict: 'replace',
  },
  account_values: {
    columns: { account: 'bytea', step_ms: 'bigint', time_ms: 'bigint', body: 'text' },
    key: ['account', 'step_ms', 'time_ms'],
    onConflict: 'replace',
  },
  liquidations: {
    columns: { instrument_id: 'bigint', ...POSITION, body: 'text' },
    key: ['instrument_id', 'time_ms', 'height', 'idx'],
    onConflict: 'keep',
  },
  largest_trades: {
    columns: { list: 'bigint', start_ms: 'bigint', body: 'text' },
    key: ['list', 'start_ms'],
    onConflict: 'replace',
  },
  open_interest: {
    columns: { instrument_id: 'bigint', time_ms: 'bigint', body: 'text' },
    key: ['instrument_id', 'time_ms'],
    onConflict: 'keep',
  },
  markets: {
    columns: { instrument_id: 'bigint', slug: 'text', title: 'text', event_slug: 'text' },
    key: ['instrument_id'],
    onConflict: 'replace',
  },
  settled_events: {
    columns: {
      event_id: 'bigint',
      slug: 'text',
      series_slug: 'text',
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
  },
  event_tags: {
    columns: { tag: 'text', event_id: 'bigint' },
    key: ['tag', 'event_id'],
    onConflict: 'keep',
  },
  settled_markets: {
    columns: { instrument_id: 'bigint', slug: 'text', event_id: 'bigint' },
    key: ['instrument_id'],
    onConflict: 'replace',
  },
  progress: {
    columns: { id: 'bigint', text: 'text', crc: 'bigint' },
    key: ['id'],
    onConflict: 'replace',
  },
};

export const TABLE_NAMES = Object.keys(TABLE_SPECS) as readonly TableName[];

/** The statement that writes rows which come from `source`: a list of values, or a selection. */
export function insertStatement(name: TableName, source: string): string {
  const { columns, key } = TABLE_SPECS[name];
  const names = Object.keys(columns).map(quoted);
  const into = `INSERT INTO ${quoted(name)} (${names.join(', ')}) ${source}`;
  return `${into} ON CONFLICT (${key.map(quoted).join(', ')}) ${conflictAction(name)}`;
}

function conflictAction(name: TableName): string {
  const { columns, key, onConflict } = TABLE_SPECS[name] as TableSpec;
  if (onConflict === 'keep') return 'DO NOTHING';
  const isKey = new Set<string>(key);
  const others = Object.keys(columns).filter((column) => !isKey.has(column));
  const table = quoted(name);
  if (typeof onConflict === 'object' && 'add' in onConflict) {
    const sums = (onConflict.add as readonly string[]).map(
      (column) => `${quoted(column)} = ${table}.${quoted(column)} + excluded.${quoted(column)}`,
    );
    return `DO UPDATE SET ${sums.join(', ')}`;
  }
  const set = others.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(', ');
  if (onConflict === 'replace') return `DO UPDATE SET ${set}`;
  const version = onConflict.newer as readonly string[];
  const theirs = version.map((column) => `excluded.${quoted(column)}`).join(', ');
  const ours = version.map((column) => `${table}.${quoted(column)}`).join(', ');
  return `DO UPDATE SET ${set} WHERE (${theirs}) >= (${ours})`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
