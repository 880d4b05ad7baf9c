import {
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  notional,
  present,
  rateE8,
  shareDown,
  ZERO_USDC,
} from '@oddlot/units';
import { accountAt } from '../state/account-at.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { accountValue } from './margin.ts';

/**
 * R-insurance-fund: an ordinary cross account that nobody has the key of. It is filled by liquidation
 * fees, remainders and a share of exchange fees, and takes over positions that the book could not.
 */
export function insuranceFund(state: State): Account {
  const fund = accountAt(state, parametersOf(state).insuranceFundAddress);
  return present(fund, 'the insurance fund');
}

/** True for the fund's own account, which pays no fees and is never liquidated or deleveraged. */
export function isInsuranceFund(state: State, account: Account): boolean {
  return account.address === parametersOf(state).insuranceFundAddress;
}

/**
 * Whether the fund may take a position at a price: afterwards its whole notional is at most five
 * times its account value and that instrument's at most twice, so that one manipulated market can't
 * empty it.
 */
export function mayTakeOver(
  state: State,
  position: Holding,
  takenSize: number,
  price: number,
): boolean {
  const fund = insuranceFund(state);
  const { perp } = position;
  const gain = notional(perp.mark - price, takenSize);
  const value = addUsdc(accountValue(state, fund), gain);
  const own = fund.holdings.get(holdingKey(perp.definition.instrumentId, 0));
  const before = own?.size ?? 0;
  const after = notional(perp.mark, Math.abs(before + takenSize));
  const total = fund.margin.notional - notional(perp.mark, Math.abs(before)) + after;
  const { insuranceLeverageMax, insuranceInstrumentMax } = parametersOf(state);
  const isSolvent = value > 0n;
  return (
    isSolvent &&
    total <= value * BigInt(insuranceLeverageMax) &&
    after <= value * BigInt(insuranceInstrumentMax)
  );
}

/** What the fund should hold: a share of the open interest at marks. */
export function insuranceTarget(state: State): MicroUsdc {
  let interest = ZERO_USDC;
  for (const id of state.perpIds) {
    const perp = present(state.perps.get(id), 'a listed perp');
    interest = addUsdc(interest, notional(perp.mark, perp.openInterest));
  }
  return shareDown(interest, rateE8(parametersOf(state).insuranceTargetE8));
}

/** What the fund has, never shown below zero. */
export function insuranceValue(state: State): MicroUsdc {
  return maxUsdc(ZERO_USDC, accountValue(state, insuranceFund(state)));
}
