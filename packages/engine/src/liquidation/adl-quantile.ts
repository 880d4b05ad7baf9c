import type { Holding } from '../state/account.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { adlBucket, rankPositions } from './deleverage.ts';

/** A ranking looks at every position of a side; readers share one for this long. */
const RANKING_MS = 3_000;

type Ranking = { readonly timeMs: number; readonly buckets: ReadonlyMap<Holding, number> };

/** The last rankings of a perp's shorts and longs. For readers only: nothing is decided by them. */
const rankings = new WeakMap<Perp, [Ranking | undefined, Ranking | undefined]>();

/** Which fifth of its side a position would be deleveraged with: 4 closes first (R-adl). */
export function adlQuantile(state: State, holding: Holding): number {
  const side = holding.size > 0 ? 1 : 0;
  let kept = rankings.get(holding.perp);
  if (kept === undefined) {
    kept = [undefined, undefined];
    rankings.set(holding.perp, kept);
  }
  let ranking = kept[side];
  const ageMs = state.timeMs - (ranking?.timeMs ?? 0);
  // A position that is newer than the ranking is worth a new one, once per block at most.
  const isMissing = ranking?.buckets.has(holding) !== true && ageMs > 0;
  if (ranking === undefined || ageMs >= RANKING_MS || isMissing) {
    ranking = rank(state, holding.perp, side === 1);
    kept[side] = ranking;
  }
  return ranking.buckets.get(holding) ?? 0;
}

function rank(state: State, perp: Perp, isLong: boolean): Ranking {
  const ranked = rankPositions(state, perp, isLong);
  const buckets = new Map<Holding, number>();
  for (const [index, { holding }] of ranked.entries()) {
    buckets.set(holding, adlBucket(index, ranked.length));
  }
  return { timeMs: state.timeMs, buckets };
}
