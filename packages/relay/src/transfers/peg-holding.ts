import { formatMoney } from '@oddlot/units';
import { type GivenAddress, isOver, sumOf, type Transfer, type Trouble } from '../book/records.ts';
import type { RelayBook } from '../book/relay-book.ts';
import type { VenueApi } from '../venue-api.ts';

/** Whether a peg holds what the book says that it does. */
type Holding =
  | { readonly is: 'whole' }
  /** Something was signed that may have left already; once that is known, it is whole again. */
  | { readonly is: 'moving' }
  | { readonly is: 'short'; readonly trouble: Trouble };

/**
 * Asked before anything is paid or given back for a peg: it has to hold all that came to it and did not leave, in the
 * sub-account that it came to. Where it holds less, the book counts money that is not there, and whoever is paid first
 * takes what belongs to others or to the relay. So nothing leaves for that peg until somebody has looked.
 */
export async function pegHolding(
  transfer: Transfer,
  peg: GivenAddress,
  { api, book }: { readonly api: Pick<VenueApi, 'freeMoney'>; readonly book: RelayBook },
): Promise<Holding> {
  const { cameTo } = transfer;
  const held = await api.freeMoney(peg.address, cameTo);
  const there = book.transfersOf(peg.id).filter((each) => each.cameTo === cameTo && !isOver(each));
  const claimed = total(there);
  if (held >= claimed) return { is: 'whole' };
  const underWay = there.filter(({ send, sweep }) => send !== undefined || sweep !== undefined);
  if (held >= claimed - total(underWay)) return { is: 'moving' };
  const [has, needs] = [formatMoney(held), formatMoney(claimed)];
  const detail =
    `${peg.id} (${peg.address}) holds only ${has} of the ${needs} USDC that it received; ` +
    'nothing is paid out until the operator has checked it';
  return { is: 'short', trouble: { what: 'peg', detail } };
}

function total(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, each) => sum + sumOf(each), 0n);
}
