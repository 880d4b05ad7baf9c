import { type ExchangeFormat, isFrame, quote } from './exchange-format.ts';

const QUOTE_CURRENCY = 'USDT';

/** Combined streams of the best bid and ask; the symbols are part of the address. */
export const binance: ExchangeFormat = {
  url: 'wss://stream.binance.com:9443',
  address(url, symbols) {
    const streams = symbols.map((symbol) => `${symbol}${QUOTE_CURRENCY}`.toLowerCase());
    return `${url}/stream?streams=${streams.map((stream) => `${stream}@bookTicker`).join('/')}`;
  },
  greetings: () => [],
  read({ data, stream }) {
    if (typeof stream !== 'string' || !isFrame(data)) return undefined;
    const { a: ask, b: bid, s: pair } = data;
    if (typeof pair !== 'string' || !pair.endsWith(QUOTE_CURRENCY)) return undefined;
    const found = quote(pair.slice(0, -QUOTE_CURRENCY.length), bid, ask);
    return found === undefined ? undefined : [found];
  },
};
