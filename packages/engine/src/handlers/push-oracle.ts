import type { CommandResult, SkippedEntry } from '../messages/block.ts';
import type { OraclePrice, PushOracleCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { type Perp, setOracle } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { restartClosing } from '../steps/close-perps.ts';

/**
 * Takes prices of the reference markets. An observation from a little ahead counts as now; one from
 * further ahead, or from before the instrument's last, is skipped and the others apply
 * (R-oracle-stale). Each entry is judged on its own and the skipped ones are reported.
 */
export function pushOracle(execution: Execution, command: PushOracleCommand): CommandResult {
  const { state } = execution;
  const skipped: SkippedEntry[] = [];
  for (const [index, entry] of command.prices.entries()) {
    const perp = state.perps.get(entry.instrumentId);
    const why = fault(state, perp, entry, command.observedMs);
    if (why !== undefined || perp === undefined) {
      skipped.push({ index, why: why ?? 'instrumentUnknown' });
    } else {
      take(execution, perp, entry, Math.min(command.observedMs, state.timeMs));
    }
  }
  return skipped.length === 0 ? {} : { skipped };
}

function fault(
  state: State,
  perp: Perp | undefined,
  { external, oracle }: OraclePrice,
  observedMs: number,
): SkippedEntry['why'] | undefined {
  if (perp === undefined) return 'instrumentUnknown';
  if (perp.delisted) return 'instrumentDelisted';
  if (!isPrice(oracle) || (external !== undefined && !isPrice(external))) return 'priceOutOfRange';
  const isAhead = observedMs > state.timeMs + LIMITS.observationAheadMs;
  return isAhead || observedMs < perp.oracleMs ? 'stale' : undefined;
}

function isPrice(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= LIMITS.priceMax;
}

function take(
  execution: Execution,
  perp: Perp,
  { external, instrumentId, oracle }: OraclePrice,
  atMs: number,
): void {
  const { state } = execution;
  if (perp.oracle === 0) perp.emaMs = state.timeMs;
  setOracle(perp, oracle, atMs, parametersOf(state).oracleBandE8);
  // A mark of an older time is computed anew in the next step of this block.
  perp.markMs = 0;
  restartClosing(execution, perp);
  if (external !== undefined) {
    perp.external = external;
    perp.externalMs = atMs;
  }
  state.digest.number(instrumentId);
  state.digest.number(oracle);
  state.digest.number(atMs);
  state.digest.number(external ?? 0);
}
