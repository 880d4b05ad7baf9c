import { type ExchangeFormat, quote } from './exchange-format.ts';

const SUFFIX = '-USD';

/**
 * The ticker comes with every trade, the heartbeat every second. Each symbol is asked for by itself:
 * one that is not traded there must not cost the others.
 */
export const coinbase: ExchangeFormat = {
  url: 'wss://ws-feed.exchange.coinbase.com',
  address: (url) => url,
  greetings: (symbols) =>
    symbols.map((symbol) =>
      JSON.stringify({
        type: 'subscribe',
        product_ids: [`${symbol}${SUFFIX}`],
        channels: ['ticker', 'heartbeat'],
      }),
    ),
  read(frame) {
    if (typeof frame['type'] !== 'string') return undefined;
    if (frame['type'] !== 'ticker') return [];
    const product = frame['product_id'];
    if (typeof product !== 'string' || !product.endsWith(SUFFIX)) return undefined;
    const symbol = product.slice(0, -SUFFIX.length);
    const found = quote(symbol, frame['best_bid'], frame['best_ask']);
    return found === undefined ? undefined : [found];
  },
};
