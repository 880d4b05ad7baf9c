import { assert, instrumentId, negUsdc, notional, present } from '@oddlot/units';
import { postCollateral, postToOutcome } from '../ledger/outcome.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Account } from '../state/account.ts';
import type { Execution } from '../state/execution.ts';
import { legPrice } from '../state/outcome-holding.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';

/**
 * Step (9) of a block: pays the holders of resolved markets out of what is locked (R-settlement), a
 * bounded number in each block, so that a market with very many does not stall everybody else. Each
 * holder is paid once and whole; where it stands is part of the state.
 */
export function payHolders(execution: Execution): void {
  const { outcomes } = execution.state;
  let pays = LIMITS.settlementsPerBlock;
  let looks = LIMITS.settlementScanPerBlock;
  while (pays > 0 && looks > 0) {
    const id = outcomes.settling[0];
    if (id === undefined) return;
    const market = present(outcomes.markets.get(id), 'a market that is being settled');
    const done = payPortion(execution, market, pays, looks);
    pays -= done.paid;
    looks -= done.looked;
    if (market.settleCursor < execution.state.accounts.length) return;
    finish(execution, market);
  }
}

function payPortion(
  execution: Execution,
  market: OutcomeMarket,
  pays: number,
  looks: number,
): { readonly paid: number; readonly looked: number } {
  const { accounts } = execution.state;
  const from = market.settleCursor;
  let paid = 0;
  while (paid < pays && market.settleCursor < accounts.length) {
    if (market.settleCursor - from >= looks) break;
    const account = present(accounts[market.settleCursor], 'an account');
    if (payHolder(execution, market, account)) paid += 1;
    market.settleCursor += 1;
  }
  execution.state.digest.number(market.settleCursor);
  return { paid, looked: market.settleCursor - from };
}

function payHolder(
  { commandIndex, events, state }: Execution,
  market: OutcomeMarket,
  account: Account,
): boolean {
  const id = instrumentId(market.definition.instrumentId);
  const holding = account.outcomes.get(id);
  if (holding === undefined) return false;
  const { fraction, txHash } = present(market.resolution, 'the resolution of a settled market');
  const cause = txHash === undefined ? {} : { txHash };
  for (const leg of ['yes', 'no'] as const) {
    const { cost, size } = holding[leg];
    if (size === 0) continue;
    const amount = notional(legPrice(leg, fraction, market.unit), size);
    postCollateral(state, market, negUsdc(amount));
    postToOutcome(state, account, amount);
    const paid = { account: account.address, instrumentId: id, leg, size, amount, cost, fraction };
    events.push({ type: 'sharesSettled', commandIndex, ...paid, ...cause });
  }
  account.outcomes.delete(id);
  return true;
}

/** Only the result stays of a market that is paid (R-limits-of-state). */
function finish({ commandIndex, events, state }: Execution, market: OutcomeMarket): void {
  const { outcomes } = state;
  const { eventSlug, instrumentId: id, slug, szDecimals } = market.definition;
  const { fraction } = present(market.resolution, 'the resolution of a settled market');
  assert(market.locked === 0n, `all that ${id} had locked is paid`);
  outcomes.settling.shift();
  outcomes.markets.delete(id);
  outcomes.marketIds.splice(outcomes.marketIds.indexOf(id), 1);
  outcomes.settled.set(id, { instrumentId: id, slug, eventSlug, szDecimals, fraction });
  state.digest.word(id);
  events.push({ type: 'marketSettled', commandIndex, instrumentId: instrumentId(id) });
}
