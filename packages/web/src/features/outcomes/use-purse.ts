import { subtract, sum } from '../../lib/decimal.ts';
import { accountStates, openOutcomeOrders } from '../../market/account.ts';
import { type Session, useSession } from '../../session/session.ts';
import type { Leg, OutcomeOpenOrder } from '@oddlot/sdk';
import { holdingsOf, sharesOf, type Holding } from './market-facts.ts';

export type Purse = {
  readonly session: Session | undefined;
  /** Free money of the outcome sub-account; undefined until it is known. */
  readonly cash: string | undefined;
  readonly perpCash: string | undefined;
  readonly holdings: readonly Holding[];
  readonly orders: readonly OutcomeOpenOrder[];
  readonly freeShares: (leg: Leg) => string;
};

export function usePurse(instrumentId: number): Purse {
  const session = useSession();
  const user = session?.address;
  const state = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    (account) => account.state,
  );
  const perpCash = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'perp' },
    (account) => account.state?.withdrawable,
  );
  const all = openOutcomeOrders.use(user, ({ orders }) => orders);
  const orders = all.filter((order) => order.instrumentId === instrumentId);
  const holdings = holdingsOf(state, instrumentId);
  const freeShares = (leg: Leg): string => {
    const offered = orders.filter(({ outcome, reduceOnly }) => reduceOnly && outcome === leg);
    return subtract(sharesOf(holdings, leg), sum(offered.map(({ sz }) => sz)));
  };
  return { session, cash: state?.withdrawable, perpCash, holdings, orders, freeShares };
}
