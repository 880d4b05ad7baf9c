import type { Perp } from '../state/perp.ts';
import type { State } from '../state/state.ts';
import { type RankedPosition, rankPositions } from './deleverage.ts';

/**
 * Who is deleveraged first, for one pass of liquidations (R-adl). Marks hold for the pass, so each
 * side of an instrument is ranked once, when somebody is first deleveraged, and not for every position
 * that is taken over. It lives as long as the pass: nothing of it is state.
 */
export class Rankings {
  readonly #state: State;
  /** By instrument id and side. */
  readonly #bySide = new Map<number, Ranking>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The side as it was first ranked, less those at its head who have nothing left. */
  of(perp: Perp, isLong: boolean): Iterable<RankedPosition> {
    const ranking = this.#bySide.get(sideKey(perp, isLong));
    return ranking === undefined ? this.renewed(perp, isLong) : remaining(ranking);
  }

  /**
   * The side ranked anew: with those who since came into a position, or out of danger. They come
   * after everyone of the ranking before.
   */
  renewed(perp: Perp, isLong: boolean): Iterable<RankedPosition> {
    const ranking = { positions: rankPositions(this.#state, perp, isLong), first: 0 };
    this.#bySide.set(sideKey(perp, isLong), ranking);
    return remaining(ranking);
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

function sideKey(perp: Perp, isLong: boolean): number {
  return 2 * perp.definition.instrumentId + (isLong ? 1 : 0);
}
