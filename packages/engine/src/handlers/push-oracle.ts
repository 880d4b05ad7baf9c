import type { CommandOutcome } from '../block.ts';
import type { PushOracleCommand } from '../command.ts';
import { type Execution, parametersOf } from '../execution.ts';
import { LIMITS } from '../limits.ts';
import { setOracle } from '../perp/perp.ts';

/**
 * Takes prices of the reference markets. An observation from a little ahead counts as now; one from
 * further ahead, or from before the last, is skipped and the others apply (R-oracle-stale).
 */
export function pushOracle(execution: Execution, command: PushOracleCommand): CommandOutcome {
  const { state } = execution;
  const { observedMs } = command;
  if (observedMs > state.timeMs + LIMITS.observationAheadMs) return {};
  const atMs = Math.min(observedMs, state.timeMs);
  const { oracleBandE8 } = parametersOf(state);
  for (const { instrumentId, oracle, external } of command.prices) {
    const perp = state.perps.get(instrumentId);
    if (perp === undefined || atMs < perp.oracleMs) continue;
    if (oracle < 1 || oracle > LIMITS.priceMax) continue;
    if (perp.oracle === 0) perp.emaMs = state.timeMs;
    setOracle(perp, oracle, atMs, oracleBandE8);
    // A mark of an older time is computed anew in the next step of this block.
    perp.markMs = 0;
    if (external !== undefined) {
      perp.external = external;
      perp.externalMs = atMs;
    }
    state.digest.number(instrumentId);
    state.digest.number(oracle);
    state.digest.number(atMs);
    state.digest.number(external ?? 0);
  }
  return {};
}
