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

/** The kind of an order: a limit order or a trigger order. */
export type OrderKind =
  | { readonly limit: NonNullable<ParsedOrder['t']['limit']> }
  | { readonly trigger: NonNullable<ParsedOrder['t']['trigger']> };

/**
 * An order spelled as in the API: instrument id `a`, `b` for a buy, price `p`, size `s`,
 * reduce-only `r`, kind `t`, margin mode `m` and client order id `c`. Prices and sizes are decimal
 * strings.
 */
export type OrderEntry = Omit<ParsedOrder, 't'> & { readonly t: OrderKind };

/** The parameters of `order`. */
export type OrderParameters = {
  /** The orders, at most 50. */
  readonly orders: readonly OrderEntry[];
  /** How the orders are related; by default they are independent. */
  readonly grouping?: ActionOf<'order'>['grouping'];
  /** The builder `b` that receives a fee, and the fee `f` in tenths of a basis point. */
  readonly builder?: { readonly b: string; readonly f: number };
};

/**
 * Places orders. With `confirm: 'executed'`, the reply includes each order's result. For an order
 * rejected at execution, no error is thrown; its state is `rejected`.
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

/** The order to amend, with its new price and its new **total** size, including the filled part. */
export type Modify2Parameters = {
  /** The instrument id. */
  readonly a: number;
  readonly p: string;
  readonly s: string;
} & (
  | { /** Order id. */ readonly o: number | string; readonly c?: undefined }
  | { /** Client order id. */ readonly c: string; readonly o?: undefined }
);

/**
 * Amends a resting order. The order keeps its ids and, if the price is unchanged, its position in
 * the queue. A size at or below the filled size cancels the remainder.
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

/** An order to cancel, with its instrument id `a` and its order id `o`. */
export type CancelEntry = {
  readonly a: number;
  readonly o: number | string;
  /** Set if the order is a position's take-profit or stop-loss. */
  readonly grouping?: 'tpsl';
};

/** The parameters of `cancel`: at most 200 entries. */
export type CancelParameters = { readonly cancels: readonly CancelEntry[] };

/**
 * Cancels orders by order id. Each entry is processed separately. Without `confirm`, the reply does
 * not report which orders had already ended.
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

/** An order to cancel, with its client order id. */
export type CancelByCloidEntry = { readonly asset: number; readonly cloid: string };

/** The parameters of `cancelByCloid`: at most 200 entries. */
export type CancelByCloidParameters = { readonly cancels: readonly CancelByCloidEntry[] };

/**
 * Cancels orders by client order id, even if their order ids were never received.
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

/** The scope of `cancelAll`; by default all orders of the account. */
export type CancelAllParameters = {
  /** The instrument id. */
  readonly asset?: number | undefined;
  readonly accountType?: 'perp' | 'outcome' | undefined;
};

/**
 * Cancels every resting order, trigger order, and take-profit or stop-loss of a position in the
 * scope. The action succeeds even if there are none.
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

/** The parameters of `scheduleCancel`. If `time` is absent, the schedule is removed. */
export type ScheduleCancelParameters = {
  /** The consensus time in milliseconds, at least 5 s ahead. */
  readonly time?: number | undefined;
};

/**
 * Cancels all orders at `time` unless the schedule is changed or removed first: a dead man's
 * switch. Reduce-only triggers remain, because they protect positions.
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

/** The parameters of `reversePosition`. */
export type ReversePositionParameters = {
  readonly asset: number;
  /** The side of the position in hedge mode, true for long. */
  readonly isBuy?: boolean | undefined;
};

/**
 * Closes a position at market and opens the same size on the other side. This can take several
 * blocks; `activeReverseJobs` in the account state shows its progress.
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

/**
 * A number of pairs of shares: `asset` is the instrument id of the market, and `sz` is the number
 * of pairs as a decimal string.
 */
export type OutcomeOperation = { readonly asset: number; readonly sz: string };

/** The parameters of `outcomeOperate`: at most 50 splits or 50 merges. */
export type OutcomeOperateParameters =
  | { readonly split: readonly OutcomeOperation[]; readonly merge?: undefined }
  | { readonly merge: readonly OutcomeOperation[]; readonly split?: undefined };

/**
 * Splits USDC into pairs of YES and NO shares at 1 USDC per pair, or merges pairs back into USDC.
 * The action has no fee and no delay, and executes all entries or none.
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
