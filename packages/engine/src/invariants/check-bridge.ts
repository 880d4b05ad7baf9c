import { assert } from '@oddlot/units';
import { LIMITS } from '../messages/limits.ts';
import { isBehind, NO_PLACE } from '../state/bridge.ts';
import type { State } from '../state/state.ts';

/** What must hold after every block of the settlement chain; part of `checkInvariants`. */
export function checkBridge({ accountIndex, agents, bridge, deposited }: State): void {
  if (bridge === undefined) return;
  const { chainId, credited, cursor, floors, kept, pegs, unusedAgents } = bridge;
  assert(credited.size <= LIMITS.depositsKept, 'the venue keeps its number of deposits');
  assert(kept.size <= LIMITS.depositsAsideKept, 'the venue keeps its number of deposits aside');
  for (const key of kept.keys()) assert(!credited.has(key), 'what is kept is not credited');
  assert(bridge.creditedTotal <= deposited, 'deposits are part of what came in');
  assert(pegs.size <= LIMITS.pegsKept, 'the venue keeps its number of pegs');
  const floor = floors.get(chainId) ?? NO_PLACE;
  assert(
    cursor === NO_PLACE || !isBehind(floor, cursor),
    'the cursor is not before what is forgotten',
  );
  for (const agent of unusedAgents.keys()) {
    assert(agents.has(agent), 'who has never used a binding has one');
  }
  for (const peg of pegs.keys()) assert(!accountIndex.has(peg), 'a noted peg has no account yet');
}
