import type { SendRecord } from '@oddlot/custody/relayer';
import { formatMoney } from '@oddlot/units';
import type { RelayBook, Transfer, Trouble } from '../book/relay-book.ts';

/** Returns the obstacle if the relay's balance is not sufficient. */
export function floatTrouble(chain: string, needed: bigint, balance: bigint): Trouble {
  const [has, needs] = [formatMoney(balance), formatMoney(needed)];
  return { what: 'float', detail: `the relay has ${has} USDC on ${chain} but needs ${needs} USDC` };
}

export function chainTrouble({ trouble }: SendRecord): Trouble | undefined {
  return trouble === undefined ? undefined : { what: 'chain', detail: trouble };
}

/** Records an obstacle if it differs from the previous one. */
export function noteTrouble(
  { book, now }: { readonly book: RelayBook; readonly now: () => number },
  transfer: Transfer,
  trouble: Trouble | undefined,
): void {
  if (transfer.trouble?.detail === trouble?.detail) return;
  book.put({ ...transfer, trouble, updateMs: now() });
}
