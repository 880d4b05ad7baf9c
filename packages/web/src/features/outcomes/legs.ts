import type { L2Book, Leg, Level } from '@oddlot/sdk';
import { subtract } from '../../lib/decimal.ts';

/**
 * A market has one book, in YES prices. Who trades NO sees the same orders mirrored: a bid for YES at 0.46 is an
 * offer of NO at 0.54.
 */

/** Both sides for one leg, in prices of that leg, best first. */
export type Ladder = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

export function otherLeg(leg: Leg): Leg {
  return leg === 'Yes' ? 'No' : 'Yes';
}

/** The other way round is the same. */
export function legPrice(yesPrice: string, leg: Leg): string {
  return leg === 'Yes' ? yesPrice : subtract('1', yesPrice);
}

export function ladderOf(book: L2Book | undefined, leg: Leg): Ladder {
  const [bids = [], asks = []] = book?.levels ?? [];
  if (leg === 'Yes') return { bids, asks };
  return { bids: asks.map(mirrored), asks: bids.map(mirrored) };
}

function mirrored(level: Level): Level {
  return { ...level, px: subtract('1', level.px) };
}

/** What one share of a leg costs now, by the best prices of the book. */
export function priceToBuy(
  bbo: readonly [Level | null, Level | null] | undefined,
  leg: Leg,
): string | undefined {
  const best = leg === 'Yes' ? bbo?.[1] : bbo?.[0];
  return best === null || best === undefined ? undefined : legPrice(best.px, leg);
}
