import type { EntryResult } from '@oddlot/engine';
import type { Address } from '@oddlot/units';

/** An order that a cancel or an amend names. */
export type OrderTarget = {
  readonly instrumentId: number;
  readonly orderId?: number;
  readonly clientOrderId?: string;
};

/** How an order ended, as far as it is remembered. */
export type EndedOrder = Pick<
  EntryResult,
  'orderId' | 'clientOrderId' | 'state' | 'filled' | 'filledNotional'
>;

export type EndedLookup = (account: Address, target: OrderTarget) => EndedOrder | undefined;
