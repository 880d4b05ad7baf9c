import {
  type ActionInputOf,
  type ActionOf,
  cancelAllShape,
  cancelByCloidShape,
  cancelShape,
  modify2Shape,
  orderShape,
  outcomeOperateShape,
  reversePositionShape,
  scheduleCancelShape,
} from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { type ActionOptions, type ExchangeContext, sendAction } from './send-action.ts';

type ParsedOrder = ActionOf<'order'>['orders'][number];

/** A limit order or a trigger order. */
export type OrderKind =
  | { readonly limit: NonNullable<ParsedOrder['t']['limit']> }
  | { readonly trigger: NonNullable<ParsedOrder['t']['trigger']> };

/**
 * One order, spelled as on the wire: `a` instrument id, `b` is a buy, `p` price, `s` size, `r`
 * reduce-only, `t` kind, `m` margin mode, `c` client order id. Prices and sizes are decimal texts.
 */
export type OrderEntry = Omit<ParsedOrder, 't'> & { readonly t: OrderKind };

/** Parameters of `order`. */
export type OrderParameters = {
  /** At most 50. */
  readonly orders: readonly OrderEntry[];
  /** The relation between the orders; independent by default. */
  readonly grouping?: ActionOf<'order'>['grouping'];
  /** A builder fee for `b`: `f` in tenths of a basis point. */
  readonly builder?: { readonly b: string; readonly f: number };
};

/**
 * Places orders. With `confirm: 'executed'` the reply has the result of each; an order that was
 * rejected at its execution is `rejected` in `orders`, without throwing.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function order<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { orders, grouping = 'na', builder }: OrderParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'order'> = {
    type: 'order',
    grouping,
    orders: [...orders],
    builder: builder === undefined ? undefined : { b: builder.b.toLowerCase(), f: builder.f },
  };
  return sendAction(context, orderShape, () => action, options);
}

/** The order, and its new price and **total** size, which includes the filled size. */
export type Modify2Parameters = {
  /** Instrument id. */
  readonly a: number;
  readonly p: string;
  readonly s: string;
} & (
  | { /** Order id. */ readonly o: number | string; readonly c?: undefined }
  | { /** Client order id. */ readonly c: string; readonly o?: undefined }
);

/**
 * Amends a resting order. It keeps its ids, and at an unchanged price its queue position. A size at
 * or below the filled size cancels the rest.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function modify2<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { a, o, c, p, s }: Modify2Parameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'modify2'> = { type: 'modify2', a, o, c, p, s };
  return sendAction(context, modify2Shape, () => action, options);
}

/** One order to cancel: `a` instrument id, `o` order id. */
export type CancelEntry = {
  readonly a: number;
  readonly o: number | string;
  /** Present if the id is that of a position's take-profit or stop-loss. */
  readonly grouping?: 'tpsl';
};

/** Parameters of `cancel`: at most 200 entries. */
export type CancelParameters = { readonly cancels: readonly CancelEntry[] };

/**
 * Cancels orders by order id. Every entry is tried; without `confirm`, entries of finished orders are not reported.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancel<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { cancels }: CancelParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancel'> = { type: 'cancel', cancels: [...cancels] };
  return sendAction(context, cancelShape, () => action, options);
}

/** One order to cancel, by its client order id. */
export type CancelByCloidEntry = { readonly asset: number; readonly cloid: string };

/** Parameters of `cancelByCloid`: at most 200 entries. */
export type CancelByCloidParameters = { readonly cancels: readonly CancelByCloidEntry[] };

/**
 * Cancels orders by client order id, including orders whose order id was never received.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancelByCloid<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { cancels }: CancelByCloidParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancelByCloid'> = { type: 'cancelByCloid', cancels: [...cancels] };
  return sendAction(context, cancelByCloidShape, () => action, options);
}

/** The scope of the cancel; everything by default. */
export type CancelAllParameters = {
  /** Instrument id. */
  readonly asset?: number | undefined;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/**
 * Cancels every resting order, trigger order and position's take-profit and stop-loss in scope. An
 * empty scope is a success.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function cancelAll<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, accountType }: CancelAllParameters = {},
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'cancelAll'> = { type: 'cancelAll', asset, accountType };
  return sendAction(context, cancelAllShape, () => action, options);
}

/** Parameters of `scheduleCancel`. Without `time` the schedule is removed. */
export type ScheduleCancelParameters = {
  /** Consensus time in milliseconds, at least 5 s ahead. */
  readonly time?: number | undefined;
};

/**
 * A dead man's switch: cancels all orders at `time` unless it is moved or removed before.
 * Reduce-only triggers stay, because they protect positions.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function scheduleCancel<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { time }: ScheduleCancelParameters = {},
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'scheduleCancel'> = { type: 'scheduleCancel', time };
  return sendAction(context, scheduleCancelShape, () => action, options);
}

/** Parameters of `reversePosition`. */
export type ReversePositionParameters = {
  readonly asset: number;
  /** The long or the short position in hedge mode. */
  readonly isBuy?: boolean | undefined;
};

/**
 * Closes a position at the market and opens the same size on the other side. The job may take
 * several blocks; `activeReverseJobs` of the account's state shows it.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function reversePosition<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { asset, isBuy }: ReversePositionParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'reversePosition'> = { type: 'reversePosition', asset, isBuy };
  return sendAction(context, reversePositionShape, () => action, options);
}

/** Pairs of shares of a market: `asset` is its instrument id, `sz` a decimal text. */
export type OutcomeOperation = { readonly asset: number; readonly sz: string };

/** Parameters of `outcomeOperate`: at most 50 splits or 50 merges. */
export type OutcomeOperateParameters =
  | { readonly split: readonly OutcomeOperation[]; readonly merge?: undefined }
  | { readonly merge: readonly OutcomeOperation[]; readonly split?: undefined };

/**
 * Splits USDC into pairs of YES and NO shares, 1 USDC a pair, or merges pairs back. It has no fee
 * and no delay, and executes all entries or none.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function outcomeOperate<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { split, merge }: OutcomeOperateParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const operations = split === undefined ? { merge: [...merge] } : { split: [...split] };
  const action: ActionInputOf<'outcomeOperate'> = { type: 'outcomeOperate', ...operations };
  return sendAction(context, outcomeOperateShape, () => action, options);
}
