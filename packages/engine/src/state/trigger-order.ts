import type { OrderRequest, TriggerRequest } from '../messages/command.ts';

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
  /** A child whose parent has not filled: it waits for that first. */
  isDormant: boolean;
  /** Largest size it may have when it fires: the filled size of its parent. */
  sizeMax: number | undefined;
  /** When the mark reached it in a block that had no room to fire it (R-storms). */
  dueMs: number | undefined;
};

/** What an order in the book remembers of the trigger that it was. */
export type FiredTrigger = {
  readonly trigger: TriggerRequest;
  readonly isPositionTpsl: boolean;
};
