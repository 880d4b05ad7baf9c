import { RATE_ONE } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { SetFeeTiersCommand } from '../messages/command.ts';
import type { FeeTier } from '../messages/fee-tier.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** Replaces the fee ladder; every account stands on the new one from the next fill on. */
export function setFeeTiers(execution: Execution, command: SetFeeTiersCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkSetFeeTiers(state, command);
  if (reject !== undefined) return { reject };
  // A new array: tiers already looked up are known by the ladder that they come from.
  state.parameters = { ...parametersOf(state), feeTiers: [...command.tiers] };
  for (const tier of command.tiers) {
    state.digest.number(tier.level);
    state.digest.number(tier.minVolumeMicroUsdc);
    state.digest.number(tier.makerFeeE8);
    state.digest.number(tier.takerFeeE8);
  }
  events.push({ type: 'feeTiersChanged', commandIndex });
  return {};
}

/** Judges a ladder: level 0 from volume 0, levels and volumes rising, rates below 1. */
export function checkSetFeeTiers(_state: State, { tiers }: SetFeeTiersCommand): Reject | undefined {
  const why = ladderFault(tiers);
  return why === undefined ? undefined : { reason: 'feeTiersInvalid', why };
}

function ladderFault(tiers: readonly FeeTier[]): string | undefined {
  if (tiers.length === 0) return 'no tiers';
  if (tiers.length > LIMITS.tiersMax) return `more than ${LIMITS.tiersMax} tiers`;
  let previous: FeeTier | undefined;
  for (const tier of tiers) {
    const { level, makerFeeE8, minVolumeMicroUsdc, takerFeeE8 } = tier;
    const isWhole = [level, makerFeeE8, minVolumeMicroUsdc, takerFeeE8].every(
      (value) => Number.isSafeInteger(value) && value >= 0,
    );
    if (!isWhole) return 'a number is out of range';
    if (makerFeeE8 >= RATE_ONE || takerFeeE8 >= RATE_ONE) return 'a rate is not below 1';
    if (previous === undefined) {
      if (level !== 0 || minVolumeMicroUsdc !== 0) return 'level 0 with volume 0 comes first';
    } else {
      if (level <= previous.level) return 'levels must rise';
      if (minVolumeMicroUsdc <= previous.minVolumeMicroUsdc) return 'volumes must rise';
    }
    previous = tier;
  }
  return undefined;
}
