import type { Address, InstrumentId, TimeMs } from '@oddlot/units';
import type { Authority, SubAccount } from './keys.ts';

/** What an account asks of the books. */

export type PlaceOrdersCommand = {
  readonly type: 'placeOrders';
  readonly authority: Authority;
  readonly orders: readonly OrderRequest[];
  /** Absent means none. */
  readonly grouping?: Grouping;
  readonly builder?: BuilderTerms;
};

/** R-builder: who charges for an order, in tenths of a basis point of its notional. */
export type BuilderTerms = { readonly address: Address; readonly feeTenthsBp: number };

/** How long an order lives (R-tif). `market` is an `ioc` whose price is clamped near the mark. */
export type TimeInForce = 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';

/**
 * One order as it was asked for. Price and size are unchecked counts; a decimal that does not lie on
 * the instrument's grid is rounded down and flagged, so that one pipeline judges every order.
 */
export type OrderRequest = {
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly expireMs?: TimeMs;
  /** The margin mode that the order asks for; by default the instrument's current one. */
  readonly marginMode?: MarginMode;
  /** Present on an order that waits off the book for the mark (R-trigger). */
  readonly trigger?: TriggerRequest;
  /** The client's own id as it was sent; two are equal when their 16 bytes are (R-cloid). */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
  /** The builder of the action that the order came with; set by the engine, never on the wire. */
  readonly builder?: BuilderTerms;
};

export type MarginMode = 'cross' | 'isolated';

/** When a waiting order fires, and as what. */
export type TriggerRequest = {
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: number;
  /** A market order under the slippage cap, or a limit order at the order's price. */
  readonly isMarket: boolean;
  readonly priceInexact?: true;
};

/** How the orders of one action belong together (R-grouping). */
export type Grouping = 'none' | 'normal' | 'position';

export type CancelOrdersCommand = {
  readonly type: 'cancelOrders';
  readonly authority: Authority;
  readonly cancels: readonly { readonly instrumentId: InstrumentId; readonly orderId: number }[];
};

export type CancelByClientIdCommand = {
  readonly type: 'cancelByClientId';
  readonly authority: Authority;
  readonly cancels: readonly {
    readonly instrumentId: InstrumentId;
    readonly clientOrderId: string;
  }[];
};

/** Amends price and size of a resting order; `size` is the new total (R-modify). */
export type ModifyOrderCommand = {
  readonly type: 'modifyOrder';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly target: { readonly orderId: number } | { readonly clientOrderId: string };
  readonly price: number;
  readonly size: number;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

/** Cancels every resting and waiting order in scope. */
export type CancelAllCommand = {
  readonly type: 'cancelAll';
  readonly authority: Authority;
  readonly instrumentId?: InstrumentId;
  readonly subAccount?: SubAccount;
};

/** The dead man's switch; without a time the schedule is removed. */
export type ScheduleCancelCommand = {
  readonly type: 'scheduleCancel';
  readonly authority: Authority;
  readonly atMs?: TimeMs;
};

/** Closes a position and opens the same size on the other side, as far as the book allows. */
export type ReversePositionCommand = {
  readonly type: 'reversePosition';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy?: boolean;
};

/** How an account trades. */

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Signed only in hedge mode with isolated margin, where the sign picks the side. */
  readonly leverage: number;
  readonly marginMode?: MarginMode;
};

export type UpdateMarginModeCommand = {
  readonly type: 'updateMarginMode';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly marginMode: MarginMode;
};

export type UpdateIsolatedMarginCommand = {
  readonly type: 'updateIsolatedMargin';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy: boolean;
  /** Positive adds, negative removes. */
  readonly amountMicroUsdc: number;
};

export type UpdatePositionModeCommand = {
  readonly type: 'updatePositionMode';
  readonly authority: Authority;
  readonly mode: 'oneWay' | 'hedge';
};

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_PATTERN = /^0x[0-9a-fA-F]{32}$/;

// The last one that was asked for: an order asks when it is judged and when it rests, a cancel thrice.
let lastText = '';
let lastKey: string | undefined;

/**
 * The 16 bytes of a client order id (R-cloid) as 32 lower-case hex digits, so that a UUID text and a
 * hex text of the same bytes are one id. Undefined when the text is neither.
 */
export function clientOrderKey(text: string): string | undefined {
  if (text === lastText) return lastKey;
  lastKey = keyOf(text);
  lastText = text;
  return lastKey;
}

function keyOf(text: string): string | undefined {
  if (HEX_PATTERN.test(text)) return text.slice(2).toLowerCase();
  if (UUID_PATTERN.test(text)) return text.replaceAll('-', '').toLowerCase();
  return undefined;
}
