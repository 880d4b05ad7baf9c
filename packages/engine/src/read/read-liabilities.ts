import {
  type Address,
  address,
  divFloor,
  type MicroUsdc,
  microUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { unrealisedOf } from '../perp/margin.ts';
import { accountAt } from '../state/account-at.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { shareHalves } from './read-worth.ts';

/** What the venue owes to one address. No part is negative. */
export type Liability = {
  readonly account: Address;
  /** Cross and isolated equity, each scope that is below zero counted as nothing, and reserves. */
  readonly perp: MicroUsdc;
  /** Money and reserves of the outcome sub-account, and shares at their mark. */
  readonly outcome: MicroUsdc;
  /** R-withdraw: not paid yet, so still owed. */
  readonly withdrawHold: MicroUsdc;
  /** R-builder: earned and not claimed. */
  readonly rewards: MicroUsdc;
  /** What scopes lack that are below zero: nobody is owed less because somebody else lost more. */
  readonly shortfall: MicroUsdc;
};

/** The venue's own part stands under the address that nobody can have an account at (R-transfer). */
export const VENUE_ADDRESS: Address = address('0x0000000000000000000000000000000000000000');

/**
 * Everything that the venue owes, by address and oldest account first; the venue's own part, fees and
 * what rounding has left over, comes last. The sum of all parts less all shortfalls is deposits less
 * withdrawals paid, exactly (R-conservation): signed sizes of a perp sum to zero, so marks cancel out,
 * and a pair of YES and NO is worth 1.00 at any mark. The state must not change between two of them.
 */
export function* liabilities(state: State): Iterable<Liability> {
  // Twice the shares of everybody, which each rounds down for itself.
  let halves = 0n;
  let shown = 0n;
  for (const account of state.accounts) {
    const shares = shareHalves(account);
    const value = divFloor(shares, 2n);
    halves += shares;
    shown += value;
    yield liabilityOf(state, account, value);
  }
  for (const [builder, { claimed, earned }] of state.builderRewards) {
    if (earned === claimed || accountAt(state, builder) !== undefined) continue;
    yield { ...NOTHING, account: builder, rewards: microUsdc(earned - claimed) };
  }
  const rounding = microUsdc(divFloor(halves, 2n) - shown);
  yield { ...NOTHING, account: VENUE_ADDRESS, perp: state.treasury, outcome: rounding };
}

/** How many there are, before they are counted one by one. */
export function liabilitiesMax(state: State): number {
  return state.accounts.length + state.builderRewards.size + 1;
}

const NOTHING = {
  perp: ZERO_USDC,
  outcome: ZERO_USDC,
  withdrawHold: ZERO_USDC,
  rewards: ZERO_USDC,
  shortfall: ZERO_USDC,
};

/** Computed without the sums of the account: of a large venue they would be renewed all at once. */
function liabilityOf(state: State, account: Account, shares: bigint): Liability {
  let cross: bigint = account.perpBalance;
  let perp = 0n;
  let below = 0n;
  for (const holding of account.holdings.values()) {
    perp += holding.reserved;
    const unrealised = unrealisedOf(holding);
    if (holding.isIsolated) add(holding.isolatedMargin + unrealised);
    else cross += unrealised;
  }
  add(cross);
  const { address: owner, outcomeBalance, outcomeReserved, withdrawHold } = account;
  const { claimed = ZERO_USDC, earned = ZERO_USDC } = state.builderRewards.get(owner) ?? {};
  return {
    account: owner,
    perp: microUsdc(perp),
    outcome: microUsdc(outcomeBalance + outcomeReserved + shares),
    withdrawHold,
    rewards: microUsdc(earned - claimed),
    shortfall: microUsdc(-below),
  };

  function add(equity: bigint): void {
    if (equity > 0n) perp += equity;
    else below += equity;
  }
}
