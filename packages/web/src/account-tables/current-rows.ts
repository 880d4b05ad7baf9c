import { accountStates, openOrders, openOutcomeOrders } from '../market/account.ts';

/** What the account has now, as rows for a file: the venue exports only what is past. */
export function currentRows(
  name: 'positions' | 'shares' | 'orders' | 'triggers',
  user: string,
): readonly object[] {
  switch (name) {
    case 'positions':
    case 'shares': {
      const accountType = name === 'positions' ? 'perp' : 'outcome';
      const state = now(accountStates.acquire({ user, accountType })).state;
      return state?.assetPositions.map(({ position, type }) => ({ ...position, type })) ?? [];
    }
    case 'orders':
      return [
        ...now(openOrders.acquire(user)).orders,
        ...now(openOutcomeOrders.acquire(user)).orders,
      ];
    case 'triggers':
      return now(openOrders.acquire(user)).triggers;
  }
}

/** The tables hold the subscriptions; this only looks. */
function now<State>(held: { readonly store: { getState(): State }; release(): void }): State {
  held.release();
  return held.store.getState();
}
