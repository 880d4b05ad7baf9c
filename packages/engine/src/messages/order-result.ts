import type { Reject } from './reject.ts';

/** R-builder: a fee that is dropped, the first test that failed, and what it would allow. */
export type BuilderDrop = {
  readonly reason:
    | 'notApproved'
    | 'overCap'
    | 'overApproval'
    | 'builderBalance'
    | 'unsupportedMarket';
  readonly feeTenthsBp: number;
  readonly allowedTenthsBp: number;
};

/**
 * How the order stands that an entry of a command places, amends or cancels, right after execution;
 * `reject` says what became of the entry.
 */
export type EntryResult = {
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
  /** `queued`: an outcome order that waits for its release (R-delay). */
  readonly state: OrderStatus | 'queued';
  readonly filled: number;
  readonly filledNotional: number;
  readonly reject?: Reject;
  /** Set when a reduce-only order was cut to the position: the sizes before and after. */
  readonly clipped?: { readonly from: number; readonly to: number };
  /** Set when a market order's price was pulled towards the mark: the prices before and after. */
  readonly clamped?: { readonly from: number; readonly to: number };
};

/** What has become of an order. */
export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected';

/**
 * A message while it is made: in one piece, optional parts added where there are any. Orders make
 * several of these each, and a copy for every optional part would be felt.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
