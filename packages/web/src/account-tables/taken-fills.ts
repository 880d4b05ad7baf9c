import type { Fill, LedgerUpdate } from '@oddlot/sdk';

/** What a fill was that its owner did not ask for. */
export type Taken = 'liquidation' | 'adl';

/**
 * Fills by which the venue took a position, by their trade or place. The rows do not say so themselves; the ledger has a
 * line for each such step, of the same market and the same block.
 */
export function takenFills(
  ledger: readonly LedgerUpdate[],
): (fill: Pick<Fill, 'hash' | 'symbol' | 'time'>) => LedgerUpdate | undefined {
  const steps = new Map<string, LedgerUpdate>();
  for (const update of ledger) {
    for (const market of marketsOf(update)) steps.set(keyOf(update, market), update);
  }
  return (fill) => steps.get(keyOf(fill, fill.symbol));
}

function marketsOf({ delta }: LedgerUpdate): readonly string[] {
  if (delta.type === 'adl') return [delta.coin];
  // Orders that are cancelled first fill nothing.
  if (delta.type !== 'liquidation' || delta.step === 'cancel') return [];
  return delta.liquidatedPositions.map(({ coin }) => coin);
}

function keyOf(
  { hash, time }: { readonly hash: string; readonly time: number },
  market: string,
): string {
  return `${hash} ${time} ${market}`;
}
