import { divCeil, divFloor, microUsdc, notional, RATE_ONE } from '@oddlot/units';
import { insuranceFund, noteFundCost } from '../perp/insurance-fund.ts';
import { freshMargin } from '../perp/margin.ts';
import type { Holding } from '../state/account.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { marketClose } from './liquidate.ts';
import { isWorkable, positionsOf } from './scope.ts';

/**
 * Sells the positions that the insurance fund took over (R-insurance-fund). At intervals, the fund
 * reduces each position by a share, but at least by a minimum amount, near the mark and without
 * fees. A position's first order is one step from the mark; whenever less than half of an order is
 * filled, the next order is one step further away. Bids far from the mark therefore fill last.
 */
export function unwindFund(execution: Execution): void {
  const { state } = execution;
  const parameters = parametersOf(state);
  if (state.timeMs < state.fundUnwindMs) return;
  const account = insuranceFund(state);
  freshMargin(state, account);
  const positions = positionsOf({ account, holding: undefined });
  forgetClosed(execution, positions);
  if (positions.length === 0) return;
  state.fundUnwindMs = state.timeMs + parameters.insuranceUnwindEveryMs;
  for (const holding of positions) {
    if (!isWorkable(state, holding)) continue;
    const size = sizeToUnwind(execution, holding);
    const { instrumentId } = holding.perp.definition;
    const { mark } = holding.perp;
    const isLong = holding.size > 0;
    const widest = widestBand(execution, holding);
    const first = parameters.insuranceUnwindStepE8;
    const bandE8 = Math.min(state.fundUnwindBands.get(instrumentId) ?? first, widest);
    const limit = unwindLimit(holding, bandE8);
    const order = { account, holding, size, limit, fee: 'none' } as const;
    const { filled, value } = marketClose(execution, order);
    const paid = BigInt(value) - notional(mark, filled);
    noteFundCost(state, instrumentId, microUsdc(isLong ? -paid : paid));
    const next = Math.min(bandE8 + first, widest);
    if (2 * filled >= size) state.fundUnwindBands.delete(instrumentId);
    else state.fundUnwindBands.set(instrumentId, next);
    state.digest.word(instrumentId);
    state.digest.number(2 * filled >= size ? 0 : next);
  }
}

/**
 * Returns the maximum distance from the mark. A position is taken over below two thirds of its
 * maintenance margin, so a wider bound would benefit an account that has the only bid.
 */
function widestBand({ state }: Execution, { perp }: Holding): number {
  const half = Math.floor((perp.definition.tiers[0]?.mmrE8 ?? 0) / 2);
  return Math.min(parametersOf(state).insuranceUnwindBandE8, half);
}

/**
 * Removes the bands of positions that were closed in other ways, for example by settlement, so that
 * they do not affect later positions.
 */
function forgetClosed({ state }: Execution, positions: readonly Holding[]): void {
  if (state.fundUnwindBands.size === 0) return;
  const open = new Set<number>(positions.map(({ perp }) => perp.definition.instrumentId));
  for (const id of state.fundUnwindBands.keys()) {
    if (!open.has(id)) state.fundUnwindBands.delete(id);
  }
}

function sizeToUnwind(execution: Execution, holding: Holding): number {
  const { insuranceUnwindMicroUsdc, insuranceUnwindShareE8 } = parametersOf(execution.state);
  const magnitude = Math.abs(holding.size);
  const share = BigInt(magnitude) * BigInt(insuranceUnwindShareE8);
  const byShare = Number(divCeil(share, BigInt(RATE_ONE)));
  const byAmount = Number(
    divCeil(BigInt(insuranceUnwindMicroUsdc), BigInt(Math.max(1, holding.perp.mark))),
  );
  return Math.min(magnitude, Math.max(byShare, byAmount));
}

/** Returns the limit price; the band applies to both the mark and the oracle. */
function unwindLimit({ perp, size }: Holding, bandE8: number): number {
  const one = BigInt(RATE_ONE);
  const price =
    size > 0
      ? divCeil(BigInt(Math.max(perp.mark, perp.oracle)) * (one - BigInt(bandE8)), one)
      : divFloor(BigInt(Math.min(perp.mark, perp.oracle)) * (one + BigInt(bandE8)), one);
  return Math.max(1, Number(price));
}
