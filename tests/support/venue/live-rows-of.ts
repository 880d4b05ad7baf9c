import type { Address } from '@oddlot/units';
import {
  type BlockRows,
  isLive,
  type LiveRow,
  type LiveRows,
} from '../../../packages/history/src/rows/block-rows.ts';

/** Computes the open orders from the rows of all blocks. */
export function liveRowsOf(blocks: readonly BlockRows[]): LiveRows {
  const rows = new Map<number, LiveRow & { readonly user: Address }>();
  for (const { head, orders } of blocks) {
    for (const { accountType, index = 0, instrumentId, orderId, row, user } of orders) {
      const position = [row.statusTimestamp, head.height, index] as const;
      if (!isLive(row)) rows.delete(orderId);
      else {
        rows.set(orderId, { user, orderId, position, accountType, instrumentId, row: () => row });
      }
    }
  }
  return {
    of: (user) => [...rows.values()].filter((each) => each.user === user),
    find: (user, orderId) => {
      const found = rows.get(orderId);
      return found?.user === user ? found.row() : undefined;
    },
    traceOf: () => undefined,
    withClientId: () => undefined,
    isUnchanged: () => false,
  };
}
