import { bookLevels, type PerpDefinition, type State } from '@oddlot/engine';
import { LIMITS, refusal, type L2Book, type Level, type WireError } from '@oddlot/protocol';
import { parseExact } from '@oddlot/units';
import { formatPrice, formatSize, priceDecimals } from '../format.ts';
import { answer, perpOf, type InfoHandler } from './handler.ts';

export type BookRequest = { readonly coin: string; readonly tick?: string | undefined };

export const l2Book: InfoHandler<'l2Book', L2Book> = ({ state }, query) => {
  const found = findBook(state, query);
  if (!found.ok) return found;
  const { perp, tick } = found;
  return answer({ coin: perp.name, time: state.timeMs, levels: bookSides(state, perp, tick) });
};

/** The book that a request names and its step in price units, or why there is none. */
export function findBook(
  state: State,
  request: BookRequest,
): { ok: true; perp: PerpDefinition; tick: number } | { ok: false; error: WireError } {
  const found = perpOf(state, request.coin);
  if (!found.ok) return found;
  const { perp } = found;
  const asked = request.tick ?? '';
  if (asked === '') return { ok: true, perp, tick: perp.bookTicks[0] ?? perp.priceTick };
  const units = parseExact(asked, priceDecimals(perp));
  const tick = perp.bookTicks.find((each) => BigInt(each) === units);
  if (tick !== undefined) return { ok: true, perp, tick };
  const allowed = perp.bookTicks.map((each) => formatPrice(perp, each));
  const details = { field: 'tick', got: asked, allowed };
  return { ok: false, error: refusal('wrongType', ['tick'], details) };
}

/** Both sides, bids first, best first. */
export function bookSides(state: State, perp: PerpDefinition, tick: number): L2Book['levels'] {
  const side = (isBuy: boolean): Level[] => {
    const max = LIMITS.bookLevelsMax;
    const step = tick === perp.priceTick ? undefined : tick;
    return bookLevels(state, perp.instrumentId, isBuy, max, step).map((level) => ({
      px: formatPrice(perp, level.price),
      sz: formatSize(perp, level.size),
      n: level.count,
    }));
  };
  return [side(true), side(false)];
}
