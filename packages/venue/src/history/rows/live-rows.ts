import type { HistOrderRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { OrderEndRecord } from './order-trace.ts';
import type { AccountType, RowPosition } from './block-rows.ts';

/** The row of an order that lives, which is made when it is wanted. */
export type LiveRow = {
  readonly orderId: number;
  readonly position: RowPosition;
  readonly accountType: AccountType;
  readonly instrumentId: number;
  readonly row: () => HistOrderRow;
};

/** The orders that live, as whoever follows the blocks knows them; the store has those that have ended. */
export type LiveRows = {
  readonly of: (user: Address) => readonly LiveRow[];
  readonly find: (user: Address, orderId: number) => HistOrderRow | undefined;
  /** How one that lives has fared in its book since the block in which it came, and what is ahead of it now. */
  readonly traceOf: (orderId: number) => Omit<OrderEndRecord, 'orderId'> | undefined;
  /** The live order of a client order id. */
  readonly withClientId: (user: Address, clientOrderId: string) => number | undefined;
  /** Whether a row that an earlier release stored of an open order is still its newest. */
  readonly isNewest: (user: Address, orderId: number) => boolean;
};
