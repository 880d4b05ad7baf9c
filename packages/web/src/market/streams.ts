import type {
  AssetContext,
  L2Book,
  OutcomeBbo,
  OutcomeMarketMeta,
  ReferencePrice,
  ReferencePricesChannel,
  Ticker,
  Trade,
} from '@oddlot/sdk';
import { add, compare, isDecimal } from '../lib/decimal.ts';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

type TickersState = { readonly byId: ReadonlyMap<number, Ticker>; readonly isLoaded: boolean };

type TickersKey = {
  readonly accountType: 'perp' | 'outcome';
  readonly instrumentIds?: readonly number[] | undefined;
};

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

const MARKETS_MAX = 50;

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

export function yesPriceOf(
  market: OutcomeMarketMeta,
  byId: ReadonlyMap<number, Ticker>,
): string | undefined {
  const live = byId.get(market.instrument_id)?.markPx;
  const price = isDecimal(live) ? live : market.pricing.yes_price;
  return isMarketPrice(price, market) ? price : undefined;
}

export const DEFAULT_MARK = '0.5';

/**
 * Returns false for the default mark of 0.5, which a market has while it has neither a trade nor
 * quotes on both sides.
 */
export function isMarketPrice(price: string, { pricing }: OutcomeMarketMeta): boolean {
  const { best_ask: ask, best_bid: bid, last_price: last } = pricing;
  if (compare(price, DEFAULT_MARK) !== 0 || last !== null) return true;
  return isDecimal(bid) && isDecimal(ask) && compare(add(bid, ask), '1') === 0;
}

export function byLikelihood(a: string | undefined, b: string | undefined): number {
  return compare(b ?? '-1', a ?? '-1');
}

type ContextState = Readonly<{ ctx: AssetContext['ctx'] | undefined; height?: number | undefined }>;

export const contexts = createLive<string, ContextState>({
  key: (coin) => coin,
  initial: () => ({ ctx: undefined }),
  open: (coin, store) => {
    const stream = reader.streams.activeAssetCtx({ coin }, (event) => {
      if (event.type === 'data') store.setState({ ctx: event.data.ctx, height: event.height });
    });
    return () => stream.close();
  },
});

type BbosState = { readonly byId: ReadonlyMap<number, OutcomeBbo['bbo']> };

export const outcomePrices = createLive<readonly number[], BbosState>({
  key: (ids) => ids.toSorted((a, b) => a - b).join(' '),
  initial: () => ({ byId: new Map() }),
  open: (instrumentIds, store) => {
    const stream = reader.streams.outcomeBbos({ instrumentIds }, (event) => {
      if (event.type === 'reset') return;
      const byId = new Map(event.isSnapshot ? [] : store.getState().byId);
      for (const { bbo, instrumentId } of event.data.bbos) byId.set(instrumentId, bbo);
      store.setState({ byId });
    });
    return () => stream.close();
  },
});

type ReferenceState = {
  readonly prices: readonly ReferencePrice[];
};

const PRICES_MAX = 4_000;

export const referencePrices = createLive<ReferencePricesChannel, ReferenceState>({
  key: ({ symbol, topic }) => `${topic} ${symbol ?? ''}`,
  initial: () => ({ prices: [] }),
  open: (parameters, store) => {
    const stream = reader.streams.referencePrices(parameters, (event) => {
      if (event.type === 'reset') return;
      const { prices } = store.getState();
      const lastMs = prices.at(-1)?.timestamp ?? 0;
      const fresh = event.data.prices.filter(({ timestamp }) => timestamp > lastMs);
      if (fresh.length > 0) store.setState({ prices: [...prices, ...fresh].slice(-PRICES_MAX) });
    });
    return () => stream.close();
  },
});

export function channelOf(
  market: OutcomeMarketMeta | undefined,
): ReferencePricesChannel | undefined {
  const underlying = market?.underlying;
  if (underlying === null || underlying === undefined) return undefined;
  const symbol = underlying.symbol.toLowerCase();
  return underlying.source === 'spot'
    ? { topic: 'crypto_prices', symbol: `${symbol}usdt` }
    : { topic: 'crypto_prices_oracle', symbol: `${symbol}/usd` };
}

export type BookState = { readonly book: L2Book | undefined; readonly refusal: string | undefined };

export const books = createLive<
  { readonly coin: string; readonly tick?: string | undefined },
  BookState
>({
  key: ({ coin, tick }) => `${coin} ${tick ?? ''}`,
  initial: () => ({ book: undefined, refusal: undefined }),
  open: ({ coin, tick }, store) => {
    const stream = reader.streams.l2Book(
      tick === undefined ? { coin } : { coin, tick },
      (event) => {
        // After a reset, the old book stays until the next event, which contains the complete book.
        if (event.type === 'data') store.setState({ book: event.data, refusal: undefined });
      },
      { onError: ({ message }) => store.setState({ refusal: message }) },
    );
    return () => stream.close();
  },
});

const TRADES_MAX = 200;

type TapeState = { readonly trades: readonly Trade[]; readonly isLoaded: boolean };

export const tapes = createLive<string, TapeState>({
  key: (coin) => coin,
  initial: () => ({ trades: [], isLoaded: false }),
  open: (coin, store) => {
    const stream = reader.streams.recentTrades({ coin, limit: 100 }, (event) => {
      if (event.type === 'reset') return;
      const { trades } = event.data;
      if (event.isSnapshot) {
        store.setState({ trades, isLoaded: true });
        return;
      }
      const known = store.getState().trades;
      store.setState({ trades: [...trades.toReversed(), ...known].slice(0, TRADES_MAX) });
    });
    return () => stream.close();
  },
});
