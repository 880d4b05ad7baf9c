import type { OrderRequest, TriggerRequest } from '../messages/command.ts';
import type { OrderBuilder } from './builders.ts';

/** An order that waits off the book for the mark (R-trigger). */
export type TriggerOrder = {
  readonly orderId: number;
  readonly accountIndex: number;
  readonly request: OrderRequest & { readonly trigger: TriggerRequest };
  readonly createdMs: number;
  /** The group that it is a child of, if any (R-grouping). */
  readonly groupId: number | undefined;
  /** Attached to a position, not to a parent. */
  readonly isPositionTpsl: boolean;
  /** A child whose parent has filled nothing: it waits for that first. */
  isDormant: boolean;
  /** Largest size it may have when it fires: what its parent has filled so far. */
  sizeMax: number | undefined;
  /** When the mark reached it in a block that had no room to fire it (R-storms). */
  dueMs: number | undefined;
  /** Set once it has fired and tries on for its rest. */
  firing: Firing | undefined;
};

/**
 * A reducing market trigger that has fired and is not filled in full: it stays armed for its rest and
 * tries again (R-trigger).
 */
export type Firing = {
  filled: number;
  /** Sum of price × size over the fills, micro-USDC. */
  filledNotional: number;
  /** Lots still to fill, at least 1. */
  rest: number;
  /** How far from the mark its next try may trade, 10^-8. */
  slippageE8: number;
  /** When it may try again. */
  nextMs: number;
  /** Rounding that the taker fee has paid ahead, 10^-8 micro-USDC (R-rounding). */
  feeOverpaid: number;
  /** Who charges for it, with what the tries so far have left uncharged. */
  readonly builder: OrderBuilder | undefined;
};

/** What an order in the book remembers of the trigger that it was. */
export type FiredTrigger = {
  readonly trigger: TriggerRequest;
  readonly isPositionTpsl: boolean;
};
