// What the rows of release 0.2.0 ask of an engine, answered by that of 0.1.0: see README.md.
import { defaultSettings, legOf, leverageOf } from '#engine/account.ts';
import { parametersOf } from '#engine/execution.ts';
import { legPrice } from '#engine/outcome/holding.ts';
import { markHalves } from '#engine/outcome/market.ts';
import { totalValue } from '#engine/perp/margin.ts';

export * from '@oddlot/engine';

/** The accounts that hold positions or shares, and those that the caller picks, oldest first. */
export function* worthOfHolders(state, isPicked) {
  for (const account of state.accounts) {
    if (!isPicked(account.address) && !holdsAny(account)) continue;
    yield { account: account.address, value: worthOf(state, account) };
  }
}

export function accountWorth(state, address) {
  const account = accountAt(state, address);
  return account === undefined ? undefined : worthOf(state, account);
}

export function waitingSince(state) {
  return state.triggers.all().map(({ createdMs, orderId }) => [orderId, createdMs]);
}

export function tradeSettings(state, address, order) {
  const perp = state.perps.get(order.instrumentId);
  if (perp === undefined) return undefined;
  const account = accountAt(state, address);
  const settings =
    account?.settings.get(order.instrumentId) ??
    defaultSettings(perp, parametersOf(state).defaultLeverage);
  const leg = account === undefined ? 0 : legOf(account, order);
  const { isIsolated } = settings;
  const isHedged = account?.positionMode === 'hedge';
  return { isHedged, isIsolated, leverage: leverageOf(settings, leg, isIsolated) };
}

export function accountAt(state, address) {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.accounts[index];
}

function holdsAny({ holdings, outcomes }) {
  for (const { size } of holdings.values()) if (size !== 0) return true;
  for (const { no, yes } of outcomes.values()) if (yes.size > 0 || no.size > 0) return true;
  return false;
}

function worthOf(state, account) {
  const cash = account.withdrawHold + account.outcomeBalance + account.outcomeReserved;
  let halves = 0n;
  for (const { market, no, yes } of account.outcomes.values()) {
    const { resolution, unit } = market;
    const mark = resolution === undefined ? markHalves(market) : 2 * resolution.fraction;
    halves += BigInt(yes.size) * BigInt(mark) + BigInt(no.size) * BigInt(legPrice('no', mark, 2 * unit));
  }
  return totalValue(state, account) + cash + halves / 2n;
}
