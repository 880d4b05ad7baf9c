import { readSlotInt } from '../book/read-slot.ts';
import type { OrderSnapshot } from '../messages/event.ts';
import { isOutcomeId } from '../messages/instrument-kind.ts';
import { outcomeSnapshotOf } from '../outcome/outcome-resting.ts';
import { perpSnapshotOf } from '../perp-orders/perp-snapshot.ts';
import type { State } from '../state/state.ts';

/** A resting order of either kind as events and readers see it. */
export function snapshotOf(state: State, slot: number): OrderSnapshot {
  return isOutcomeId(readSlotInt(state.pool.instrument, slot))
    ? outcomeSnapshotOf(state, slot)
    : perpSnapshotOf(state, slot);
}
