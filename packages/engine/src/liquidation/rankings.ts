import type { Account, Holding } from '../state/account.ts';
import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import {
  adlBucket,
  type RankedPosition,
  type RankKey,
  rankKey,
  rankPositions,
} from './adl-rank.ts';

/**
 * Who is deleveraged first in a block (R-adl, R-storms): every side of an instrument as it stood when
 * this was made. A side is put in order when somebody is first deleveraged there; whoever changes
 * before that is kept as they were. Nothing of it is state.
 */
export class Rankings {
  readonly #state: State;
  /** By instrument id and side. */
  readonly #bySide = new Map<number, Ranking>();
  /** Of accounts that have changed since; a position that is not among them was not there. */
  readonly #kept = new Map<Account, ReadonlyMap<Holding, RankKey>>();

  constructor(state: State) {
    this.#state = state;
    state.blockRecord.beforeChange = (account) => this.#keep(account);
  }

  /** The side as it was, less those at its head who have nothing left. */
  of(perp: Perp, isLong: boolean): Iterable<RankedPosition> {
    const key = 2 * perp.definition.instrumentId + (isLong ? 1 : 0);
    let ranking = this.#bySide.get(key);
    if (ranking === undefined) {
      const positions = rankPositions(this.#state, perp, isLong, (account, holding) => {
        const kept = this.#kept.get(account);
        return kept === undefined ? rankKey(this.#state, account, holding) : kept.get(holding);
      });
      ranking = { positions, first: 0 };
      this.#bySide.set(key, ranking);
    }
    return remaining(ranking);
  }

  #keep(account: Account): void {
    if (this.#kept.has(account)) return;
    const keys = new Map<Holding, RankKey>();
    // What it changes to is nobody's business, and asking for its sums changes nothing else.
    this.#kept.set(account, keys);
    for (const holding of account.holdings.values()) {
      if (holding.size !== 0) keys.set(holding, rankKey(this.#state, account, holding));
    }
  }
}

type Ranking = { readonly positions: readonly RankedPosition[]; first: number };

function* remaining(ranking: Ranking): Generator<RankedPosition> {
  const { positions } = ranking;
  while (positions[ranking.first]?.holding.size === 0) ranking.first += 1;
  for (let at = ranking.first; at < positions.length; at++) {
    const position = positions[at];
    if (position !== undefined) yield position;
  }
}

/** A ranking looks at every position of a side; readers share one for this long. */
const RANKING_MS = 3_000;

type SharedRanking = { readonly timeMs: number; readonly buckets: ReadonlyMap<Holding, number> };

/** The last rankings of a perp's shorts and longs. For readers only: nothing is decided by them. */
const rankings = new WeakMap<Perp, [SharedRanking | undefined, SharedRanking | undefined]>();

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

function rank(state: State, perp: Perp, isLong: boolean): SharedRanking {
  const ranked = rankPositions(state, perp, isLong);
  const buckets = new Map<Holding, number>();
  for (const [index, { holding }] of ranked.entries()) {
    buckets.set(holding, adlBucket(index, ranked.length));
  }
  return { timeMs: state.timeMs, buckets };
}
