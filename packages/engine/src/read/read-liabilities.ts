import {
  type Address,
  address as toAddress,
  addUsdc,
  divFloor,
  type MicroUsdc,
  microUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import { totalValue, unrealisedOf } from '../perp/margin.ts';
import { accountAt, type State } from '../state/state.ts';
import {
  type Account,
  defaultSettings,
  type InstrumentSettings,
  legOf,
  leverageOf,
} from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { legPrice, markHalves, type OutcomeMarket } from '../state/outcome-market.ts';

/** The venue's liability to one address. No component is negative. */
export type Liability = {
  readonly account: Address;
  /** The reserves and the equity of all margin accounts; negative equity counts as zero. */
  readonly perp: MicroUsdc;
  /** The money and reserves of the outcome sub-account, and its shares at their mark. */
  readonly outcome: MicroUsdc;
  /** Withdrawals that are not yet paid and are therefore still owed (R-withdraw). */
  readonly withdrawHold: MicroUsdc;
  /** Builder rewards that have been earned but not claimed (R-builder). */
  readonly rewards: MicroUsdc;
  /**
   * The total deficit of margin accounts with negative equity, which does not reduce other
   * liabilities.
   */
  readonly shortfall: MicroUsdc;
};

/**
 * The address under which the venue's own money is listed; it can never have an account
 * (R-transfer).
 */
export const VENUE_ADDRESS: Address = toAddress('0x0000000000000000000000000000000000000000');

/**
 * Yields all liabilities: accounts by age, then unclaimed rewards by address, then the venue's own
 * fees and rounding remainders. The sum of all components less all shortfalls is exactly deposits
 * less withdrawals paid (R-conservation): the signed sizes of a perp sum to zero, so marks cancel
 * out, and a pair of YES and NO is worth 1.00 at any mark. The state must not change during the
 * iteration.
 */
export function* liabilities(state: State): Iterable<Liability> {
  // Twice the value of all shares is summed, because each liability is rounded down separately.
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

/** Returns an upper bound on the number of liabilities without counting them. */
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

/**
 * Computes a liability without using the account's cached sums, because an iteration over all
 * accounts would refresh every one of them.
 */
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

/**
 * An account and its total value: both sub-accounts, and the reserves for orders and withdrawals.
 */
type Worth = { readonly account: Address; readonly value: MicroUsdc };

/**
 * Yields the accounts that have positions or shares and those that the caller selects, in order of
 * creation.
 */
export function* worthOfHolders(
  state: State,
  isPicked: (account: Address) => boolean,
): Iterable<Worth> {
  for (const account of state.accounts) {
    if (!isPicked(account.address) && !holdsAny(account)) continue;
    yield { account: account.address, value: worthOf(state, account) };
  }
}

/** Returns the total value of an account, or undefined if the address has no account. */
export function accountWorth(state: State, address: Address): MicroUsdc | undefined {
  const account = accountAt(state, address);
  return account === undefined ? undefined : worthOf(state, account);
}

function holdsAny({ holdings, outcomes }: Account): boolean {
  for (const { size } of holdings.values()) if (size !== 0) return true;
  for (const { no, yes } of outcomes.values()) if (yes.size > 0 || no.size > 0) return true;
  return false;
}

/**
 * Returns the total value of an account. Shares count at their mark; half a micro-USDC from a mid
 * price is rounded down.
 */
function worthOf(state: State, account: Account): MicroUsdc {
  const cash = account.withdrawHold + account.outcomeBalance + account.outcomeReserved;
  return addUsdc(totalValue(state, account), microUsdc(cash + divFloor(shareHalves(account), 2n)));
}

function shareHalves({ outcomes }: Account): bigint {
  let halves = 0n;
  for (const { market, no, yes } of outcomes.values()) {
    const mark = yesHalves(market);
    halves += BigInt(yes.size) * BigInt(mark);
    halves += BigInt(no.size) * BigInt(legPrice('no', mark, 2 * market.unit));
  }
  return halves;
}

/** Returns the YES mark in half price units. For a resolved market, it is the payout. */
function yesHalves(market: OutcomeMarket): number {
  const { resolution } = market;
  return resolution === undefined ? markHalves(market) : 2 * resolution.fraction;
}

type TradeSettings = {
  readonly isHedged: boolean;
  readonly isIsolated: boolean;
  readonly leverage: number;
};

/**
 * Returns the settings that would apply to an order of the account, or undefined if its perp is not
 * listed.
 */
export function tradeSettings(
  state: State,
  address: Address,
  order: { readonly instrumentId: number; readonly isBuy: boolean; readonly reduceOnly: boolean },
): TradeSettings | undefined {
  const perp = state.perps.get(order.instrumentId);
  if (perp === undefined) return undefined;
  const account = accountAt(state, address);
  const settings: InstrumentSettings =
    account?.settings.get(order.instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  const leg = account === undefined ? 0 : legOf(account, order);
  const { isIsolated } = settings;
  const isHedged = account?.positionMode === 'hedge';
  return { isHedged, isIsolated, leverage: leverageOf(settings, leg, isIsolated) };
}
