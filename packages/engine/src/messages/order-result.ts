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

/** The order that an entry of a command places, amends or cancels, right after execution. */
export type EntryResult = {
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
  /** `queued`: an outcome order that waits for its release (R-delay). */
  readonly state: OrderStatus | 'queued';
  readonly filled: number;
  readonly filledNotional: number;
  /** Why the entry failed; the order may live on. */
  readonly reject?: Reject;
  /** Set when a reduce-only order was cut to the position: the sizes before and after. */
  readonly clipped?: { readonly from: number; readonly to: number };
  /** Set when a market order's price was pulled towards the mark: the prices before and after. */
  readonly clamped?: { readonly from: number; readonly to: number };
};

export type OrderStatus = 'open' | 'filled' | 'cancelled' | 'rejected';

/**
 * A message under construction: optional parts are added to the one object. Every order makes several
 * messages, and a copy for each optional part would be measurable.
 */
export type Building<Message> = { -readonly [Key in keyof Message]: Message[Key] };
