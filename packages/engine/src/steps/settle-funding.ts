import { addUsdc, type MicroUsdc, present, subUsdc, timeMs, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { TIMER } from '../messages/event.ts';
import { nextMultiple } from '../perp/funding-forecast.ts';
import { fundingAmount, type PayingSide } from '../perp/funding.ts';
import { insuranceFund, isInsuranceFund } from '../perp/insurance-fund.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { HOUR_MS } from '../state/funding-hour.ts';
import { holdersOf } from '../state/holders.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/**
 * Pays the funding that fell due with the hour, once (R-funding): out of or into the balance of a
 * cross position, the margin of an isolated one; either may fall below zero, R-liquidation follows
 * in the same block. Amounts round against the position, so longs and shorts together pay a little
 * more than they collect: the remainder is the insurance fund's, which pays none itself. Accounts by address, their positions
 * by instrument and leg.
 */
export function settleFunding(execution: Execution, previousMs: number): void {
  const { state } = execution;
  // No hour has ended since the last block.
  if (nextMultiple(previousMs, HOUR_MS) > state.timeMs) return;
  const perps = state.perpIds
    .map((id) => present(state.perps.get(id), 'a listed perp'))
    .filter((perp) => perp.funding.due !== undefined);
  if (perps.length === 0) return;
  const paying = new Map(perps.map((perp) => [perp, payingSide(state, perp)]));
  let remainder = ZERO_USDC;
  for (const { account, holding } of holdersOf(state, ...perps)) {
    const side = present(paying.get(holding.perp), 'the paying side of a due hour');
    remainder = subUsdc(remainder, pay(execution, account, holding, side));
  }
  for (const { definition, funding } of perps) {
    const { dueMs, premiumE10, rateE10 } = present(funding.due, 'a due hour');
    execution.events.push({
      type: 'fundingClosed',
      commandIndex: TIMER,
      instrumentId: definition.instrumentId,
      rateE10,
      premiumE10,
      dueMs: timeMs(dueMs),
    });
    funding.due = undefined;
  }
  if (remainder > 0n) postToBalance(state, insuranceFund(state), remainder);
}

/** The lots of the side that pays, and how many of them are the insurance fund's (R-insurance-fund). */
function payingSide(state: State, perp: Perp): PayingSide {
  const { definition, funding, openInterest } = perp;
  const { rateE10 } = present(funding.due, 'a due hour');
  const held = insuranceFund(state).holdings.get(holdingKey(definition.instrumentId, 0));
  const ofFund = Math.max(0, (held?.size ?? 0) * Math.sign(rateE10));
  // Longs and shorts hold as many lots (R-conservation).
  return { lots: openInterest, ofFund };
}

/** Moves one position's amount, and returns it; paid is negative. The insurance fund pays none. */
function pay(
  execution: Execution,
  account: Account,
  holding: Holding,
  side: PayingSide,
): MicroUsdc {
  const { events, state } = execution;
  const { funding, isIsolated, perp, size } = holding;
  const { dueMs, oracle, rateE10 } = present(perp.funding.due, 'a due hour');
  const owed = fundingAmount(size, oracle, rateE10, side);
  const amount = owed < 0n && isInsuranceFund(state, account) ? ZERO_USDC : owed;
  if (isIsolated) {
    holding.isolatedMargin = addUsdc(holding.isolatedMargin, amount);
    if (amount < 0n) state.risk.changed(account, holding);
    state.digest.amount(holding.isolatedMargin);
  } else {
    postToBalance(state, account, amount);
  }
  state.entry.noteFunding(holding, amount);
  funding.allTime = addUsdc(funding.allTime, amount);
  funding.sinceOpen = addUsdc(funding.sinceOpen, amount);
  funding.sinceChange = addUsdc(funding.sinceChange, amount);
  events.push({
    type: 'fundingPaid',
    commandIndex: TIMER,
    account: account.address,
    instrumentId: perp.definition.instrumentId,
    amount,
    size,
    rateE10,
    dueMs: timeMs(dueMs),
  });
  return amount;
}
