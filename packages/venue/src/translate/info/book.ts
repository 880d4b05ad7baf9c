import { bookLevels, type State } from '@oddlot/engine';
import { LIMITS, refusal, type L2Book, type Level, type WireError } from '@oddlot/protocol';
import { instrumentId, parseExact } from '@oddlot/units';
import { outcomeName } from '../actions/instrument-lookup.ts';
import { formatPrice, formatSize, priceDecimals } from '../format.ts';
import { answer, findPerp, type InfoHandler } from './handler.ts';

export type BookRequest = { readonly coin: string; readonly tick?: string | undefined };

/** What has a book, of either exchange. */
export type BookOwner = {
  readonly instrumentId: number;
  readonly name: string;
  readonly szDecimals: number;
  readonly priceTick: number;
  /** Steps that it can be shown in, finest first. */
  readonly bookTicks: readonly number[];
};

export const l2Book: InfoHandler<'l2Book', L2Book> = ({ state }, query) => {
  const found = findBook(state, query);
  if (!found.ok) return found;
  const { owner, tick } = found;
  return answer({ coin: owner.name, time: state.timeMs, levels: bookSides(state, owner, tick) });
};

/** The book that a request names and its step in price units, or why there is none. */
export function findBook(
  state: State,
  request: BookRequest,
): { ok: true; owner: BookOwner; tick: number } | { ok: false; error: WireError } {
  const { coin, tick: asked = '' } = request;
  const id = Number.parseInt(coin, 10);
  const owner = findPerp(state, id) ?? findMarket(state, id);
  if (owner === undefined) {
    return { ok: false, error: refusal('instrumentNotFound', [], { field: 'coin', got: coin }) };
  }
  const { bookTicks, priceTick } = owner;
  if (asked === '') return { ok: true, owner, tick: bookTicks[0] ?? priceTick };
  const units = parseExact(asked, priceDecimals(owner));
  const tick = bookTicks.find((each) => BigInt(each) === units);
  if (tick !== undefined) return { ok: true, owner, tick };
  const allowed = bookTicks.map((each) => formatPrice(owner, each));
  const details = { field: 'tick', got: asked, allowed };
  return { ok: false, error: refusal('wrongType', ['tick'], details) };
}

/** A market that is paid out has a book without orders, and no step any more. */
function findMarket({ outcomes }: State, id: number): BookOwner | undefined {
  const { markets, settled } = outcomes;
  const name = outcomeName(id);
  const definition = markets.get(id)?.definition;
  if (definition !== undefined) {
    const { priceTick, szDecimals } = definition;
    return { instrumentId: id, name, szDecimals, priceTick, bookTicks: [priceTick] };
  }
  const szDecimals = settled.get(id)?.szDecimals;
  if (szDecimals === undefined) return undefined;
  return { instrumentId: id, name, szDecimals, priceTick: 1, bookTicks: [] };
}

/** Both sides, bids first, best first. */
export function bookSides(state: State, owner: BookOwner, tick: number): L2Book['levels'] {
  const side = (isBuy: boolean): Level[] => {
    const max = LIMITS.bookLevelsMax;
    const id = instrumentId(owner.instrumentId);
    // Orders from before a coarser tick stand between its steps; without them nothing is grouped.
    const plain = tick === owner.priceTick ? bookLevels(state, id, isBuy, max) : undefined;
    const isOnTick = plain?.every(({ price }) => price % tick === 0) === true;
    const levels =
      plain !== undefined && isOnTick ? plain : bookLevels(state, id, isBuy, max, tick);
    return levels.map((level) => ({
      px: formatPrice(owner, level.price),
      sz: formatSize(owner, level.size),
      n: level.count,
    }));
  };
  return [side(true), side(false)];
}
