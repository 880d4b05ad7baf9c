import { type Address, addUsdc, divFloor, type MicroUsdc, microUsdc } from '@oddlot/units';
import { totalValue } from '../perp/margin.ts';
import { accountAt } from '../state/account-at.ts';
import {
  type Account,
  defaultSettings,
  type InstrumentSettings,
  legOf,
  leverageOf,
} from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { legPrice } from '../state/outcome-holding.ts';
import { markHalves, type OutcomeMarket } from '../state/outcome-market.ts';
import type { State } from '../state/state.ts';

/** What an account has, all of it: both sub-accounts, what orders and withdrawals hold back. */
type Worth = { readonly account: Address; readonly value: MicroUsdc };

/** The accounts that hold positions or shares, and those that the caller picks, oldest first. */
export function* worthOfHolders(
  state: State,
  isPicked: (account: Address) => boolean,
): Iterable<Worth> {
  for (const account of state.accounts) {
    if (!isPicked(account.address) && !holdsAny(account)) continue;
    yield { account: account.address, value: worthOf(state, account) };
  }
}

/** Undefined when there is no such account. */
export function accountWorth(state: State, address: Address): MicroUsdc | undefined {
  const account = accountAt(state, address);
  return account === undefined ? undefined : worthOf(state, account);
}

function holdsAny({ holdings, outcomes }: Account): boolean {
  for (const { size } of holdings.values()) if (size !== 0) return true;
  for (const { no, yes } of outcomes.values()) if (yes.size > 0 || no.size > 0) return true;
  return false;
}

/** Shares count at their mark; half a micro-USDC of a mid is rounded down. */
function worthOf(state: State, account: Account): MicroUsdc {
  const cash = account.withdrawHold + account.outcomeBalance + account.outcomeReserved;
  return addUsdc(totalValue(state, account), microUsdc(cash + divFloor(shareHalves(account), 2n)));
}

/** All shares of an account at their marks, in half micro-USDC. */
export function shareHalves({ outcomes }: Account): bigint {
  let halves = 0n;
  for (const { market, no, yes } of outcomes.values()) {
    const mark = yesHalves(market);
    halves += BigInt(yes.size) * BigInt(mark);
    halves += BigInt(no.size) * BigInt(legPrice('no', mark, 2 * market.unit));
  }
  return halves;
}

/** A resolved market's shares are worth what they will be paid. */
function yesHalves(market: OutcomeMarket): number {
  const { resolution } = market;
  return resolution === undefined ? markHalves(market) : 2 * resolution.fraction;
}

/** How an account trades a perp: what is shown beside its orders. */
type TradeSettings = {
  readonly isHedged: boolean;
  readonly isIsolated: boolean;
  readonly leverage: number;
};

/** The settings that hold for an order of an account; undefined when its perp is not listed. */
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
