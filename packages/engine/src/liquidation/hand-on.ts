import { addUsdc, divCeil, type MicroUsdc, negUsdc, notional, subUsdc } from '@oddlot/units';
import { postToBalance } from '../ledger/post.ts';
import { isInsuranceFund, noteFundCost } from '../perp/insurance-fund.ts';
import { holdingChanged } from '../perp/margin.ts';
import type { Execution } from '../state/execution.ts';
import { judgedMarkOf } from '../state/perp.ts';
import type { Close } from './take-over.ts';

/**
 * R-liquidation: a scope that this step's closes leave below zero, with nothing of its own that lost,
 * hands that on. It was paid too little for the lots that it had to give up before others took what it
 * had won elsewhere: those closes are priced again, the last one first, no further than the last
 * judged mark, and who took the lots pays the difference. Returns what each paid.
 */
export function handOn(
  execution: Execution,
  closes: readonly Close[],
  missing: MicroUsdc,
): readonly { readonly close: Close; readonly amount: MicroUsdc }[] {
  const paying: { readonly close: Close; readonly amount: MicroUsdc }[] = [];
  let left = missing;
  for (const close of closes.toReversed()) {
    if (left <= 0n) break;
    const price = fairerPrice(close, left);
    if (price === close.price) continue;
    const amount = priceAgain(execution, close, price);
    left = subUsdc(left, amount);
    paying.push({ close, amount });
  }
  return paying;
}

/** The price that makes good what is missing, or the last judged mark if that is nearer. */
function fairerPrice({ counterSign, holding, price, size }: Priced, missing: MicroUsdc): number {
  const judged = judgedMarkOf(holding.perp);
  const step = Number(divCeil(missing, BigInt(size)));
  // The failing side sold when the other one bought: more is better for it then, less otherwise.
  return counterSign > 0
    ? Math.max(price, Math.min(price + step, judged))
    : Math.min(price, Math.max(price - step, judged));
}

type Priced = Pick<Close, 'counterSign' | 'holding' | 'price' | 'size'>;

function priceAgain(execution: Execution, close: Close, price: number): MicroUsdc {
  const { events, state } = execution;
  const { counter, counterSign, failing, holding, opened, size } = close;
  const dearer = (price - close.price) * counterSign;
  const amount = notional(dearer, size);
  close.price = price;

  holding.realised = addUsdc(holding.realised, amount);
  if (failing.holding === undefined) postToBalance(state, failing.account, amount);
  else failing.holding.isolatedMargin = addUsdc(failing.holding.isolatedMargin, amount);
  state.risk.changed(failing.account, failing.holding);

  // What the other side opened costs it more; what it closed brought it less.
  const cost = notional(dearer, opened);
  const less = subUsdc(amount, cost);
  if (opened > 0) {
    counter.holding.cost = addUsdc(counter.holding.cost, cost);
    holdingChanged(state, counter.account, counter.holding);
  }
  counter.holding.realised = subUsdc(counter.holding.realised, less);
  postToBalance(state, counter.account, negUsdc(less));
  if (isInsuranceFund(state, counter.account)) {
    noteFundCost(state, holding.perp.definition.instrumentId, amount);
  }
  state.digest.number(price);
  state.digest.amount(counter.holding.cost);

  retell(events, close.failingEvent, price, amount);
  retell(events, close.counterEvent, price, negUsdc(less));
  if (close.noticeEvent !== undefined) retell(events, close.noticeEvent, price, negUsdc(less));
  return amount;
}

/** Nobody has seen the events of this block yet: they tell of the price that it ended with. */
function retell(events: Execution['events'], at: number, price: number, more: MicroUsdc): void {
  const event = events[at];
  if (event?.type !== 'positionTraded' && event?.type !== 'deleveraged') return;
  events[at] = { ...event, price, realised: addUsdc(event.realised, more) };
}
