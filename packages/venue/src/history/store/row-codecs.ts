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
  AccountValueRecord,
  CandleRecord,
  ClaimRecord,
  EarningRecord,
  WithdrawalRecord,
} from '../rows/block-rows.ts';
import { rowPacker } from './packed/packed-rows.ts';
import { tupleCodec } from './tuple-codec.ts';

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

export const largestTradeCodec = tupleCodec<LargestTrade>([
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
