import { type ExchangeFormat, isFrame, type Quote, quote } from './exchange-format.ts';

const SUFFIX = '/USD';

/** The second version of its interface: prices are JSON numbers, heartbeats come by themselves. */
export const kraken: ExchangeFormat = {
  url: 'wss://ws.kraken.com/v2',
  address: (url) => url,
  greetings: (symbols) =>
    symbols.map((symbol) =>
      JSON.stringify({
        method: 'subscribe',
        params: { channel: 'ticker', symbol: [`${symbol}${SUFFIX}`], event_trigger: 'bbo' },
      }),
    ),
  read(frame) {
    if (frame['channel'] !== 'ticker') {
      return typeof frame['channel'] === 'string' || 'method' in frame ? [] : undefined;
    }
    if (!Array.isArray(frame['data'])) return undefined;
    const quotes = frame['data'].map(quoteOf);
    return quotes.every((each) => each !== undefined) ? quotes : undefined;
  },
};

function quoteOf(row: unknown): Quote | undefined {
  if (!isFrame(row)) return undefined;
  const { ask, bid, symbol } = row;
  if (typeof symbol !== 'string' || !symbol.endsWith(SUFFIX)) return undefined;
  return quote(symbol.slice(0, -SUFFIX.length), bid, ask);
}
