import { divCeil, divFloor, RATE_ONE } from '@oddlot/units';
import { marketClose } from '../../../packages/engine/src/liquidation/liquidate.ts';
import { isWorkable, positionsOf } from '../../../packages/engine/src/liquidation/scope.ts';
import { insuranceFund } from '../../../packages/engine/src/perp/insurance-fund.ts';
import { type Execution, parametersOf } from '../../../packages/engine/src/state/execution.ts';

/**
 * Planted fault: the fund unwinds at prices up to 1% from the mark, regardless of how much margin
 * it took over.
 */
export function unwindFund(execution: Execution): void {
  const { state } = execution;
  if (state.timeMs < state.fundUnwindMs) return;
  const { insuranceUnwindBandE8, insuranceUnwindEveryMs, insuranceUnwindStepE8 } =
    parametersOf(state);
  const account = insuranceFund(state);
  const positions = positionsOf({ account, holding: undefined });
  if (positions.length === 0) return;
  state.fundUnwindMs = state.timeMs + insuranceUnwindEveryMs;
  for (const holding of positions) {
    if (!isWorkable(state, holding)) continue;
    const { definition, mark } = holding.perp;
    const bandE8 = state.fundUnwindBands.get(definition.instrumentId) ?? insuranceUnwindStepE8;
    const one = BigInt(RATE_ONE);
    const limit =
      holding.size > 0
        ? divCeil(BigInt(mark) * (one - BigInt(bandE8)), one)
        : divFloor(BigInt(mark) * (one + BigInt(bandE8)), one);
    const size = Math.max(1, Math.floor(Math.abs(holding.size) / 10));
    marketClose(execution, { account, holding, size, limit: Number(limit), fee: 'none' });
    const next = Math.min(bandE8 + insuranceUnwindStepE8, insuranceUnwindBandE8);
    state.fundUnwindBands.set(definition.instrumentId, next);
  }
}
