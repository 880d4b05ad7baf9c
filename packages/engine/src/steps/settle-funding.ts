import { addUsdc, type MicroUsdc, present, subUsdc, timeMs, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { TIMER } from '../messages/event.ts';
import { nextMultiple } from '../perp/funding-forecast.ts';
import { fundingAmount } from '../perp/funding.ts';
import { insuranceFund } from '../perp/insurance-fund.ts';
import type { Account, Holding } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { type DueFunding, HOUR_MS } from '../state/funding-hour.ts';
import { holdersOf } from '../state/holders.ts';

/**
 * Pays the funding that fell due with the hour, once (R-funding): out of or into the balance of a
 * cross position, the margin of an isolated one; either may fall below zero, R-liquidation follows
 * in the same block. Amounts round against the position, so longs and shorts together pay a little
 * more than they collect: the remainder is the insurance fund's. Accounts by address, their positions
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
  let remainder = ZERO_USDC;
  for (const { account, holding } of holdersOf(state, ...perps)) {
    const { due } = holding.perp.funding;
    remainder = subUsdc(remainder, pay(execution, account, holding, present(due, 'a due hour')));
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

/** Moves one position's amount, and returns it; paid is negative. */
function pay(
  execution: Execution,
  account: Account,
  holding: Holding,
  { dueMs, oracle, rateE10 }: DueFunding,
): MicroUsdc {
  const { events, state } = execution;
  const { funding, isIsolated, perp, size } = holding;
  const amount = fundingAmount(size, oracle, rateE10);
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
