import type { EngineEvent } from '@oddlot/engine';

/**
 * Returns true if the mark is the closing hour's average, which takes effect after all other events
 * in its block (R-delist).
 */
export function isSettlementMark(event: EngineEvent, later: readonly EngineEvent[]): boolean {
  if (event.type !== 'markUpdated') return false;
  const { instrumentId: id } = event;
  const next = later.find(
    (each) =>
      (each.type === 'markUpdated' || each.type === 'perpSettled') && each.instrumentId === id,
  );
  return next?.type === 'perpSettled';
}

/**
 * Returns true if a reduce-only order or trigger order was reduced or cancelled because its
 * position shrank.
 */
export function isCut(event: Extract<EngineEvent, { type: 'orderUpdated' }>): boolean {
  return event.order.reduceOnly && (event.status === 'open' || event.cancelCause === 'reduceOnly');
}

/** Returns false for events that the ledger derives from their causes. */
export function isFollowed({ type }: EngineEvent): boolean {
  return type !== 'positionTraded' && type !== 'fundSettled';
}
