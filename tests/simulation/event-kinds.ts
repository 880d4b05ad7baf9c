import type { EngineEvent } from '@oddlot/engine';

/** Classification of events for the reference ledger, if the type alone is not sufficient. */

/**
 * R-delist: the average of the closing hour becomes the mark, after all other events of the block.
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

/** A reduce-only order or a trigger order that lost its position. */
export function isCut(event: Extract<EngineEvent, { type: 'orderUpdated' }>): boolean {
  return event.order.reduceOnly && (event.status === 'open' || event.cancelCause === 'reduceOnly');
}

/** False for events that the ledger computes itself from their causes. */
export function isFollowed({ type }: EngineEvent): boolean {
  return type !== 'positionTraded' && type !== 'fundSettled';
}
