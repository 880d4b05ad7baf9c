import { present } from '@oddlot/units';
import { sortByAddress } from '../collections/sorting.ts';
import { type Account, type Holding, holdingKey, type Leg } from './account.ts';
import type { Perp } from './perp.ts';
import type { State } from './state.ts';

export type Holder = { readonly account: Account; readonly holding: Holding };

/**
 * Sets the size of a position. Sizes are changed only through this function, so that open interest,
 * the watched perps and the index of holders stay consistent.
 */
export function setSize({ watch }: Pick<State, 'watch'>, holding: Holding, size: number): void {
  const { accountIndex, leg, perp } = holding;
  perp.openInterest += Math.max(size, 0) - Math.max(holding.size, 0);
  watch.traded.add(perp);
  holding.size = size;
  if (size === 0) perp.holders.delete(holderKey(accountIndex, leg));
  else perp.holders.set(holderKey(accountIndex, leg), leg);
}

/**
 * Returns all positions in the given perps, sorted by account address (R-order-of-events),
 * instrument and leg. The cost depends on the number of holders, not the number of accounts.
 */
export function holdersOf(state: State, ...perps: readonly Perp[]): Holder[] {
  const holders = perps.flatMap((perp) =>
    Array.from(perp.holders, ([key, leg]) => holderAt(state, perp, key, leg)),
  );
  return sortByAddress(holders, addressOf, byPlace);
}

function holderKey(accountIndex: number, leg: Leg): number {
  return 2 * accountIndex + leg;
}

function holderAt(state: State, perp: Perp, key: number, leg: Leg): Holder {
  const account = present(state.accounts[Math.floor(key / 2)], 'the account of a holder');
  const position = account.holdings.get(holdingKey(perp.definition.instrumentId, leg));
  return { account, holding: present(position, 'the position of a holder') };
}

function addressOf({ account }: Holder): string {
  return account.address;
}

function byPlace(a: Holder, b: Holder): number {
  return placeOf(a.holding) - placeOf(b.holding);
}

function placeOf({ leg, perp }: Holding): number {
  return holdingKey(perp.definition.instrumentId, leg);
}
