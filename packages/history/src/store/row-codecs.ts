import { HistoryDamagedError } from './store-errors.ts';
import type {
  Fill,
  FundingRow,
  HistOrder,
  HistOrderRow,
  LargestTrade,
  LedgerUpdate,
  Liquidation,
  OpenInterestRow,
} from '@oddlot/protocol';
import type {
  AccountType,
  AccountValueRecord,
  CandleRecord,
  ClaimRecord,
  EarningRecord,
  RankedTrade,
  WithdrawalRecord,
} from '../rows/block-rows.ts';
import { rowPacker } from './packed/packed-rows.ts';
import { present } from '@oddlot/units';

/**
 * Rows as texts. The names of fields are most of a row's JSON, so a row is written as a list of values
 * in a fixed order, headed by a mask of the fields that it lacks. Reading gives the same fields in the
 * same order, byte for byte. A row whose fields are others, or in another order, is written as it is.
 */
type TupleCodec<Row> = {
  readonly encode: (row: Row) => string;
  readonly decode: (text: string) => Row;
};

/** Fields that are kept as tuples of their own. */
type Nested = Readonly<Record<string, readonly string[]>>;
type Values = Readonly<Record<string, unknown>>;

function tupleCodec<Row extends object>(
  fields: readonly (keyof Row & string)[],
  nested?: Nested,
): TupleCodec<Row> {
  return {
    encode: (row) => JSON.stringify(toTuple(row as Values, fields, nested)),
    decode: (text) => fromTuple(parsed(text), fields, nested) as Row,
  };
}

/** Bits of a mask by place: there are more places than a shift can reach. */
const BITS = Array.from({ length: 53 }, (_, place) => 2 ** place);

/** Rows are plain objects; walking their names costs a fraction of listing their entries. */
function toTuple(row: Values, fields: readonly string[], nested: Nested | undefined): unknown {
  const values: unknown[] = [0];
  const { length } = fields;
  let absent = 0;
  let place = 0;
  // oxlint-disable-next-line guard-for-in -- nothing is inherited.
  for (const name in row) {
    const value = row[name];
    if (value === undefined) continue;
    while (place < length && fields[place] !== name) {
      absent += BITS[place] ?? 0;
      place += 1;
    }
    if (place === length) return row;
    const inner = nested?.[name];
    values.push(inner === undefined ? value : toTuple(value as Values, inner, undefined));
    place += 1;
  }
  for (; place < length; place += 1) absent += BITS[place] ?? 0;
  values[0] = absent;
  return values;
}

function fromTuple(tuple: unknown, fields: readonly string[], nested?: Nested): object {
  if (!Array.isArray(tuple)) return tuple as object;
  const row: Record<string, unknown> = {};
  let absent = Number(tuple[0]);
  let at = 1;
  for (const name of fields) {
    const isAbsent = absent % 2 === 1;
    absent = Math.floor(absent / 2);
    if (isAbsent) continue;
    const inner = nested?.[name];
    row[name] = inner === undefined ? tuple[at] : fromTuple(tuple[at], inner);
    at += 1;
  }
  if (at !== tuple.length) throw new HistoryDamagedError('a row has unexpected fields');
  return row;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HistoryDamagedError('a row is damaged', { cause: error });
  }
}

/**
 * The fields of each table's rows, in the order of the wire. A new field goes to the end of its list,
 * and none is ever taken away: the rows of years are written in these orders.
 */

const FILL_FIELDS: readonly (keyof Fill)[] = [
  'coin',
  'symbol',
  'px',
  'sz',
  'side',
  'time',
  'startPosition',
  'dir',
  'reduceOnly',
  'closedPnl',
  'hash',
  'oid',
  'crossed',
  'fee',
  'tid',
  'feeToken',
  'twapId',
  'tradeSide',
  'marginMode',
  'leverage',
  'instrumentId',
  'instrumentType',
  'marketType',
  'entryPrice',
  'roe',
  'cloid',
  'builderFee',
  'outcome',
  'title',
  'slug',
];

/** As earlier releases wrote them, one by one. */
export const fillCodec = tupleCodec<Fill>(FILL_FIELDS);

export const fillPacker = rowPacker<Fill>({
  fields: [FILL_FIELDS],
  split: (row) => [row],
  join: ([row]) => row as Fill,
  joinJson: ([row]) => `{${row}}`,
  replaced: ['title', 'slug'],
});

const ORDER_FIELDS: readonly (keyof HistOrder)[] = [
  'coin',
  'symbol',
  'side',
  'limitPx',
  'sz',
  'origSz',
  'oid',
  'timestamp',
  'triggerCondition',
  'isTrigger',
  'triggerPx',
  'children',
  'isPositionTpsl',
  'reduceOnly',
  'dir',
  'orderType',
  'tif',
  'expireTime',
  'cloid',
  'avgFillPrice',
  'positionMode',
  'marginMode',
  'leverage',
  'fee',
  'filledAmount',
  'pnl',
  'entryPrice',
  'roe',
  'cancelSource',
  'cancelReason',
  'rejectReason',
  'status',
  'instrumentId',
  'instrumentType',
  'marketType',
  'outcome',
  'title',
  'slug',
];

/** One by one: rows of earlier eras and releases, and of orders that came with others. */
export const orderCodec = tupleCodec<HistOrderRow>(['order', 'status', 'statusTimestamp'], {
  order: ORDER_FIELDS,
});

export const orderPacker = rowPacker<HistOrderRow>({
  fields: [ORDER_FIELDS, ['status', 'statusTimestamp']],
  split: ({ order, status, statusTimestamp }) => [order, { status, statusTimestamp }],
  join: ([order, rest]) => ({ order, ...rest }) as HistOrderRow,
  joinJson: ([order, rest]) => `{"order":{${order}},${rest}}`,
  replaced: ['children', 'title', 'slug'],
});

export const fundingCodec = tupleCodec<FundingRow>([
  'time',
  'coin',
  'usdc',
  'szi',
  'fundingRate',
  'amount',
]);

export const ledgerCodec = tupleCodec<LedgerUpdate>(['time', 'hash', 'delta']);

export const earningCodec = tupleCodec<EarningRecord>([
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
]);

export const claimCodec = tupleCodec<ClaimRecord>([
  'builder',
  'amountMicroUsdc',
  'txHash',
  'timeMs',
]);

export const withdrawalCodec = tupleCodec<WithdrawalRecord>([
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
]);

export const candleCodec = tupleCodec<CandleRecord>([
  'instrumentId',
  'stepMs',
  'startMs',
  'open',
  'high',
  'low',
  'close',
  'lots',
  'trades',
]);

export const accountValueCodec = tupleCodec<AccountValueRecord>([
  'user',
  'stepMs',
  'timeMs',
  'value',
  'moneyIn',
  'moneyOut',
  'volume',
  'fees',
  'funding',
]);

export const liquidationCodec = tupleCodec<Liquidation>([
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
]);

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

export const openInterestCodec = tupleCodec<OpenInterestRow>([
  'coin',
  'time',
  'openInterest',
  'markPx',
]);

/** A list of ranked trades as one text: what each is ranked by, and the trade. */
export function encodeRanked(trades: readonly RankedTrade[]): string {
  return JSON.stringify(trades.map(({ row, value }) => [value, largestTradeCodec.encode(row)]));
}

export function decodeRanked(text: string): RankedTrade[] {
  const pairs = JSON.parse(text) as readonly (readonly [value: number, row: string])[];
  return pairs.map(([value, row]) => ({ value, row: largestTradeCodec.decode(row) }));
}

/** Account types as they stand in keys. */
const PERP = 0;
const OUTCOME = 1;
/** Of a row that is about both. */
const BOTH = 2;

export function kindOf(accountType: AccountType): number {
  return accountType === 'perp' ? PERP : OUTCOME;
}

export function kindOfAll(accountTypes: readonly AccountType[]): number {
  return accountTypes.length > 1
    ? BOTH
    : kindOf(present(accountTypes[0], 'a row belongs to an account'));
}

export function kindsOf(accountTypes: readonly AccountType[]): readonly number[] {
  return [...new Set(accountTypes.map(kindOf))];
}

/** The same where a row may be about both. */
export function kindsWithBoth(accountTypes: readonly AccountType[]): readonly number[] {
  return accountTypes.length === 0 ? [] : [...kindsOf(accountTypes), BOTH];
}

/** Addresses whose bytes are kept: most rows are of few accounts. */
const KEPT_MAX = 10_000;
const kept = new Map<string, Uint8Array>();

/** `0x…` as the bytes that it stands for, half the size in a key. */
export function bytesOf(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

/** The same for addresses, which come again and again. */
export function addressBytes(address: string): Uint8Array {
  let bytes = kept.get(address);
  if (bytes === undefined) {
    bytes = bytesOf(address);
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(address, bytes);
  }
  return bytes;
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
