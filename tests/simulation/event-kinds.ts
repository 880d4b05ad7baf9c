import type { EngineEvent } from '@oddlot/engine';

/** What an event means for the reference ledger, where its type alone does not tell. */

/** R-delist: the average of the closing hour becomes the mark, after all else of the block. */
export function isSettlementMark(event: EngineEvent, later: readonly EngineEvent[]): boolean {
  if (event.type !== 'markUpdated') return false;
  const { instrumentId: id } = event;
  const next = later.find(
    (each) =>
      (each.type === 'markUpdated' || each.type === 'perpSettled') && each.instrumentId === id,
  );
  return next?.type === 'perpSettled';
}

/** A reduce-only order or a trigger that lost its position. */
export function isCut(event: Extract<EngineEvent, { type: 'orderUpdated' }>): boolean {
  return event.order.reduceOnly && (event.status === 'open' || event.cancelCause === 'reduceOnly');
}

/** False for what the ledger computes by itself from the steps that caused it. */
export function isFollowed({ type }: EngineEvent): boolean {
  return type !== 'positionTraded' && type !== 'fundSettled';
}
