import { choice, type Kind, list, setting, text, whole } from '@oddlot/host/settings';
import { EXCHANGE_NAMES, ExchangeSetting } from '../oracle/exchanges/exchange-setting.ts';

const EXCHANGE: Kind<typeof ExchangeSetting> = {
  ...choice(...EXCHANGE_NAMES),
  expected: `${choice(...EXCHANGE_NAMES).expected}, or a table with name, url and weight`,
  placeholder: 'NAME',
  schema: ExchangeSetting,
};

export const PRICE_SETTINGS = {
  oracle: setting(choice('simulated', 'still', 'exchanges'), {
    default: 'simulated',
    help:
      'Perp prices: a random walk, the constant last price (`still`), or real prices ' +
      '(`exchanges`; required on a mainnet)',
    isEveryday: true,
  }),
  oracleEveryMs: setting(whole('ms'), {
    default: 1_000,
    help:
      'Milliseconds between prices; above 30,000, each price becomes stale before the next ' +
      'one arrives',
  }),
  referencePrices: setting(choice('simulated', 'still', 'exchanges', 'none'), {
    unset: 'same as `oracle` with bots, otherwise `none`',
    help:
      '[Reference prices of outcome markets](outcome-markets.md#reference-prices): ' +
      '`simulated`, `still`, `exchanges` or `none`. Never `simulated` or `still` on a ' +
      'mainnet',
  }),
  referenceSymbols: setting(
    list(
      text({
        pattern: /^[A-Z0-9]{1,12}$/,
        expected: 'at most 12 capital letters and digits, like BTC',
        placeholder: 'SYMBOL',
      }),
    ),
    {
      default: ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB'],
      help: 'Symbols with a reference price',
    },
  ),
  exchanges: setting(list(EXCHANGE, { min: 1 }), {
    default: ['binance', 'coinbase', 'kraken'],
    help:
      'Exchanges that provide real prices; in a file, names or tables with `name`, `url` ' +
      'and `weight`. `spot` prices come from the first one',
  }),
  exchangesMin: setting(whole(), {
    default: 2,
    help: 'Minimum number of exchanges that must agree for an oracle price',
  }),
  exchangeSilentMs: setting(whole('ms'), {
    default: 10_000,
    help: 'Milliseconds of silence after which an exchange is ignored',
  }),
  exchangeOutlierBps: setting(whole('bps'), {
    default: 100,
    help:
      'Maximum deviation of an exchange from the median of the others, in basis points; ' +
      'beyond it, the exchange is ignored',
  }),
};
