import { addUsdc, microUsdc, type MicroUsdc, subUsdc, ZERO_USDC } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { cutReduceOnly } from '../perp-orders/cut-reduce-only.ts';
import { holdingChanged } from '../perp/margin.ts';
import { releasedPart, splitTrade, tradePosition } from '../perp/position.ts';
import type { Execution } from '../state/execution.ts';
import type { Holder } from '../state/holders.ts';

/**
 * Trades a signed size into a position at a price that no book made: a take-over, a deleveraging, a
 * settlement. Free of fee. An isolated close pays released margin and PnL to the balance, a
 * shortfall comes out of the margin that remains. Returns what was realised,
 * what the balance got of it, and where its event is.
 */
export function tradeOffBook(
  execution: Execution,
  { account, holding }: Holder,
  signedSize: number,
  price: number,
): { readonly realised: MicroUsdc; readonly paid: MicroUsdc; readonly event: number } {
  const { state } = execution;
  const startPosition = holding.size;
  const before = Math.abs(startPosition);
  const { close } = splitTrade(startPosition, signedSize);
  const released = holding.isIsolated
    ? releasedPart(holding.isolatedMargin, close, Math.max(1, before))
    : ZERO_USDC;
  state.entry.beforeChange?.(account);
  state.entry.noteTrade(holding, startPosition + signedSize);
  const balanceBefore = account.perpBalance;
  const closed = tradePosition(state, holding, signedSize, price);
  const realised = closed?.realised ?? ZERO_USDC;
  if (holding.isIsolated) payIsolated(execution, { account, holding }, released, realised);
  else postToBalance(state, account, realised);
  const paid = subUsdc(account.perpBalance, balanceBefore);
  holdingChanged(state, account, holding);
  state.digest.number(holding.size);
  state.digest.amount(holding.cost);
  state.digest.amount(holding.isolatedMargin);
  const event = execution.events.length;
  execution.events.push({
    type: 'positionTraded',
    commandIndex: execution.commandIndex,
    account: account.address,
    instrumentId: holding.perp.definition.instrumentId,
    size: signedSize,
    price,
    startPosition,
    realised,
    marginMode: holding.isIsolated ? 'isolated' : 'cross',
    leverage: holding.leverage,
    ...(closed === undefined ? {} : { closedSize: closed.size, closedCost: closed.released }),
  });
  cutReduceOnly(execution, account, holding);
  return { realised, paid, event };
}

function payIsolated(
  execution: Execution,
  { account, holding }: Holder,
  released: MicroUsdc,
  realised: MicroUsdc,
): void {
  const cash = addUsdc(released, realised);
  const remaining = holding.isolatedMargin - released;
  if (cash >= 0n) {
    holding.isolatedMargin = microUsdc(remaining);
    postToBalance(execution.state, account, cash);
  } else {
    holding.isolatedMargin = microUsdc(remaining + cash);
  }
}
