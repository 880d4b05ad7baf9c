import type { OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';
import { add, compare, isDecimal } from '../lib/decimal.ts';

type TickersState = { readonly byId: ReadonlyMap<number, Ticker>; readonly isLoaded: boolean };

type TickersKey = {
  readonly accountType: 'perp' | 'outcome';
  /** Up to 50; all that trade when it is absent. */
  readonly instrumentIds?: readonly number[] | undefined;
};

/** Instruments of a kind at a glance. */
export const tickers = createLive<TickersKey, TickersState>({
  key: ({ accountType, instrumentIds }) => `${accountType} ${instrumentIds?.join(' ') ?? ''}`,
  initial: () => ({ byId: new Map(), isLoaded: false }),
  open: (parameters, store) => {
    const stream = reader.streams.tickers(parameters, (event) => {
      if (event.type === 'reset') return;
      const byId = new Map(event.isSnapshot ? [] : store.getState().byId);
      for (const ticker of event.data.tickers) {
        if (ticker.gone) byId.delete(ticker.instrumentId);
        else byId.set(ticker.instrumentId, ticker);
      }
      store.setState({ byId, isLoaded: true });
    });
    return () => stream.close();
  },
});

/** As many markets as one subscription takes. */
const MARKETS_MAX = 50;

/** Outcome markets at a glance, the first ones of a list that is too long. */
export function useOutcomeTickers(
  markets: readonly OutcomeMarketMeta[],
): ReadonlyMap<number, Ticker> {
  const ids = markets
    .slice(0, MARKETS_MAX)
    .map(({ instrument_id: id }) => id)
    .sort((a, b) => a - b);
  return tickers.use(
    ids.length === 0 ? undefined : { accountType: 'outcome', instrumentIds: ids },
    (state) => state.byId,
  );
}

/** The live mark, or until it is there the one that came with the event; none where nobody made one. */
export function yesPriceOf(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): string | undefined {
  const live = byId.get(market.instrument_id)?.markPx;
  const price = isDecimal(live) ? live : market.pricing.yes_price;
  return isSomebodys(price, market) ? price : undefined;
}

/** What the venue says of a market that nobody has quoted or traded. */
export const NOBODYS = '0.5';

/** Whether a price is anybody's opinion: a half is so only by a trade, or by quotes whose middle it is. */
export function isSomebodys(price: string, { pricing }: OutcomeMarketMeta): boolean {
  const { best_ask: ask, best_bid: bid, last_price: last } = pricing;
  if (compare(price, NOBODYS) !== 0 || last !== null) return true;
  return isDecimal(bid) && isDecimal(ask) && compare(add(bid, ask), '1') === 0;
}

/** By price, the likeliest first; what nobody has priced comes last. */
export function byLikelihood(a: string | undefined, b: string | undefined): number {
  return compare(b ?? '-1', a ?? '-1');
}
