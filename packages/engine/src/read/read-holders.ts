import { type Address, assert, type MicroUsdc } from '@oddlot/units';
import type { OutcomeLeg } from '../messages/outcome-terms.ts';
import type { State } from '../state/state.ts';

/** Who holds the shares of a leg, and what they cost. */
type HolderView = {
  readonly account: Address;
  readonly size: number;
  readonly cost: MicroUsdc;
};

/** Where a list of holders goes on: behind so many shares of that account. */
export type HolderPlace = { readonly size: number; readonly index: number };

type HoldersView = {
  /** All who hold the leg. */
  readonly holders: number;
  /** Lots of all of them. */
  readonly shares: number;
  readonly rows: readonly HolderView[];
  readonly next: HolderPlace | undefined;
};

type Held = HolderView & HolderPlace;

/**
 * The accounts that hold a leg of a market, the most shares first, of equal ones the older account; undefined where there
 * is no such market any more. All holders are looked at, and only those that are shown are sorted.
 */
export function outcomeHolders(
  state: State,
  id: number,
  { after, leg, limit }: { leg: OutcomeLeg; limit: number; after?: HolderPlace | undefined },
): HoldersView | undefined {
  const market = state.outcomes.markets.get(id);
  if (market === undefined) return undefined;
  const rows: Held[] = [];
  let holders = 0;
  let shares = 0;
  // Whoever has a place in a market may have orders there and no shares.
  for (const index of market.holders.keys()) {
    const account = state.accounts[index];
    const held = account?.outcomes.get(id)?.[leg];
    assert(account !== undefined && held !== undefined, 'a holder has a place in the market');
    const { cost, size } = held;
    if (size === 0) continue;
    holders += 1;
    shares += size;
    const row = { account: account.address, size, cost, index };
    if (after !== undefined && !isBefore(after, row)) continue;
    const last = rows.at(-1);
    if (rows.length > limit && last !== undefined && isBefore(last, row)) continue;
    insert(rows, row);
    if (rows.length > limit + 1) rows.pop();
  }
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1) : undefined;
  return {
    holders,
    shares,
    rows: shown.map(({ account, cost, size }) => ({ account, size, cost })),
    next: next && { size: next.size, index: next.index },
  };
}

function isBefore(left: HolderPlace, right: HolderPlace): boolean {
  return left.size > right.size || (left.size === right.size && left.index < right.index);
}

/** Into a sorted list, by halves. */
function insert(rows: Held[], row: Held): void {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other !== undefined && isBefore(other, row)) low = middle + 1;
    else high = middle;
  }
  rows.splice(low, 0, row);
}
