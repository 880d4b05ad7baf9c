import { instrumentId as toInstrumentId, present } from '@oddlot/units';
import type { CommandResult } from '../messages/block.ts';
import type { RegisterPerpCommand } from '../messages/command.ts';
import type { PerpDefinition, PerpListing } from '../messages/perp-definition.ts';
import type { Reject } from '../messages/reject.ts';
import { definitionFault } from '../perp/definition-fault.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { createPerp } from '../state/perp.ts';
import type { State } from '../state/state.ts';

/** USDC is asset 1 and a perp's own asset follows its instrument id from here on. */
const ASSET_ID_BASE = 100;

/** Lists a perpetual. It trades from its first oracle price on. */
export function registerPerp(execution: Execution, command: RegisterPerpCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const reject = checkRegisterPerp(state, command);
  if (reject !== undefined) return { reject };
  const definition = definitionOf(state, command.perp);
  const { instrumentId, name } = definition;
  const { liquidationFeeE8 } = parametersOf(state);
  state.perps.set(instrumentId, createPerp(definition, state.pool, liquidationFeeE8));
  state.perpIds.push(instrumentId);
  state.perpIds.sort((a, b) => a - b);
  state.digest.number(instrumentId);
  state.digest.text(name);
  events.push({ type: 'perpRegistered', commandIndex, instrumentId });
  return { created: { instrumentId } };
}

/** Judges a listing; changes nothing. A name stays taken after its perp was delisted. */
export function checkRegisterPerp(state: State, { perp }: RegisterPerpCommand): Reject | undefined {
  const definition = definitionOf(state, perp);
  const { instrumentId, name } = definition;
  if (state.perps.has(instrumentId)) return { reason: 'instrumentIdUsed', instrumentId };
  for (const listed of state.perps.values()) {
    if (listed.definition.name === name) return { reason: 'nameUsed', name };
  }
  // Where an id or a name may stand, digits are an id.
  if (/^[0-9]+$/.test(name)) {
    return { reason: 'definitionInvalid', field: 'name', why: 'must not be digits alone' };
  }
  return definitionFault(definition, parametersOf(state).liquidationFeeE8);
}

/** Fills in what a listing leaves to the venue: the next id after the largest, a bare asset. */
function definitionOf(state: State, listing: PerpListing): PerpDefinition {
  const next = state.perpIds.length === 0 ? 1 : present(state.perpIds.at(-1), 'an id') + 1;
  const instrumentId = listing.instrumentId ?? toInstrumentId(next);
  const asset = listing.asset ?? {
    assetId: ASSET_ID_BASE + instrumentId,
    weiDecimals: 6,
    maxSupply: '0',
    initialWei: '0',
    archorTokenWei: '0',
  };
  return { ...listing, instrumentId, asset };
}
