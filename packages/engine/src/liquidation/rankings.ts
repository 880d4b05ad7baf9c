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
 * The order of deleveraging in a block (R-adl, R-storms): each side of an instrument as ranked when
 * this object was created. A side is sorted at its first deleveraging; if an account changes before
 * then, its rank is recorded. This object is not part of the state.
 */
export class Rankings {
  readonly #state: State;
  readonly #bySide = new Map<number, Ranking>();
  /**
   * The recorded ranks of accounts that have changed since; positions not listed here were not
   * open.
   */
  readonly #ranksBefore = new Map<Account, ReadonlyMap<Holding, RankKey>>();

  constructor(state: State) {
    this.#state = state;
    state.blockRecord.beforeChange = (account) => this.#keep(account);
  }

  /** Returns the ranking of a side, excluding positions that have been closed since the start. */
  of(perp: Perp, isLong: boolean): Iterable<RankedPosition> {
    const key = 2 * perp.definition.instrumentId + (isLong ? 1 : 0);
    let ranking = this.#bySide.get(key);
    if (ranking === undefined) {
      const positions = rankPositions(this.#state, perp, isLong, (account, holding) => {
        const ranks = this.#ranksBefore.get(account);
        return ranks === undefined ? rankKey(this.#state, account, holding) : ranks.get(holding);
      });
      ranking = { positions, first: 0 };
      this.#bySide.set(key, ranking);
    }
    return remaining(ranking);
  }

  #keep(account: Account): void {
    if (this.#ranksBefore.has(account)) return;
    const keys = new Map<Holding, RankKey>();
    this.#ranksBefore.set(account, keys);
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

/** Queries share a ranking for this long, because a ranking reads every position on a side. */
const RANKING_MS = 3_000;

type SharedRanking = { readonly timeMs: number; readonly buckets: ReadonlyMap<Holding, number> };

/** The latest rankings of each perp's short and long positions, for queries only. */
const rankings = new WeakMap<Perp, [SharedRanking | undefined, SharedRanking | undefined]>();

/**
 * Returns the quintile of its side in which a position would be deleveraged; quintile 4 is closed
 * first (R-adl).
 */
export function adlQuantile(state: State, holding: Holding): number {
  const side = holding.size > 0 ? 1 : 0;
  let bySide = rankings.get(holding.perp);
  if (bySide === undefined) {
    bySide = [undefined, undefined];
    rankings.set(holding.perp, bySide);
  }
  let ranking = bySide[side];
  const ageMs = state.timeMs - (ranking?.timeMs ?? 0);
  // A position newer than the ranking causes a new ranking, at most once per block.
  const isMissing = ranking?.buckets.has(holding) !== true && ageMs > 0;
  if (ranking === undefined || ageMs >= RANKING_MS || isMissing) {
    ranking = rank(state, holding.perp, side === 1);
    bySide[side] = ranking;
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
