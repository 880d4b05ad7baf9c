import { present } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { ResolveMarketCommand } from '../messages/command.ts';
import type { Reject } from '../messages/reject.ts';
import { fitsEvent, resolve, shareOf } from '../outcome/resolve.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';

/** A deployer's result of a closed market (R-settlement). */
export function resolveMarket(execution: Execution, command: ResolveMarketCommand): CommandResult {
  const { state } = execution;
  const reject = checkResolveMarket(state, command);
  if (reject !== undefined) return { reject };
  const market = present(state.outcomes.markets.get(command.instrumentId), 'a judged market');
  const { evidence, fraction, oracleOutcome } = command;
  const result = { fraction, by: 'operator', oracleOutcome, evidence, inputs: null } as const;
  resolve(execution, market, result, command.operator?.txHash);
  return {};
}

/** Judges a result: the market, its phase, the fraction, and the sum of its event (R-event-sets). */
export function checkResolveMarket(
  { outcomes }: State,
  { fraction, fractionInexact, instrumentId }: ResolveMarketCommand,
): Reject | undefined {
  const market = outcomes.markets.get(instrumentId);
  if (market === undefined) {
    return outcomes.settled.has(instrumentId)
      ? { reason: 'alreadyResolved', instrumentId }
      : { reason: 'instrumentUnknown', instrumentId };
  }
  const from = market.phase;
  if (from === 'resolved') return { reason: 'alreadyResolved', instrumentId };
  if (from !== 'closed')
    return { reason: 'phaseChangeInvalid', instrumentId, from, to: 'resolved' };
  if (fraction < 0 || fraction > market.unit || (fraction === market.unit && fractionInexact)) {
    return { reason: 'definitionInvalid', field: 'settlementFraction', why: 'must be 0 to 1' };
  }
  if (fractionInexact === true) return { reason: 'fractionInexact', instrumentId, floor: fraction };
  const event = present(outcomes.events.get(market.definition.eventSlug), 'the event of a market');
  return fitsEvent(event, shareOf(market, fraction)) ? undefined : { reason: 'fractionsOff' };
}
