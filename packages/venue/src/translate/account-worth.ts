import { accountView, outcomeAccountView, type State } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { sharesValue } from './info/outcome-positions.ts';

/**
 * What an account is worth at the current marks, in micro-USDC: both sub-accounts, with what orders and
 * withdrawals hold back. Shares of vaults are not in it: their money is in the vault's account.
 */
export function accountWorth(state: State, address: Address): bigint {
  // Nobody asks for the rank here, and the true one looks at every account.
  const perp = accountView(state, address, () => 0);
  const outcome = outcomeAccountView(state, address);
  const shares = outcome?.positions ?? [];
  return (
    (perp === undefined ? 0n : perp.total.accountValue + perp.withdrawHold) +
    (outcome === undefined ? 0n : outcome.free + outcome.reserved) +
    shares.reduce((sum, each) => sum + sharesValue(each), 0n)
  );
}
