type Told = { readonly replica: string; readonly aheadMs: number };

/**
 * How far the clock of a replica lies apart from those of more than half of all replicas, in milliseconds (above zero: it is
 * ahead of them); 0 while it is not told yet. Where two halves differ it is the one that is ahead whose clock counts as
 * off: a time that was given to a block can't be taken back, and one that is behind does not go back.
 */
export function clockApartMs(own: string, present: readonly Told[]): number {
  const told = present.find(({ replica }) => replica === own);
  if (told === undefined) return 0;
  const apart = present
    .filter(({ replica }) => replica !== own)
    .map(({ aheadMs }) => told.aheadMs - aheadMs)
    .toSorted((a, b) => Math.abs(b) - Math.abs(a));
  const half = Math.floor(present.length / 2);
  const fromMost = apart[half] ?? 0;
  const fromHalf = present.length % 2 === 0 ? (apart[half - 1] ?? 0) : 0;
  return Math.max(fromHalf, 0) > Math.abs(fromMost) ? fromHalf : fromMost;
}
