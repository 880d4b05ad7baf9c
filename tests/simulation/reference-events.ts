import type { EngineEvent } from '@oddlot/engine';

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
