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
    help: 'prices of perps: a random walk; `still` repeats the last price; `exchanges` takes real ones, as a mainnet must',
    isEveryday: true,
  }),
  oracleEveryMs: setting(whole('ms'), {
    default: 1_000,
    help: 'milliseconds between two prices; above 30,000 every price goes stale before the next',
  }),
  referencePrices: setting(choice('simulated', 'still', 'exchanges', 'none'), {
    unset: 'as `oracle` with bots, else `none`',
    help: '[prices that outcome markets are about](outcome-markets.md#reference-prices): `simulated`, `still`, `exchanges`, `none`. The first two never on a mainnet',
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
      help: 'what has a reference price',
    },
  ),
  exchanges: setting(list(EXCHANGE, { min: 1 }), {
    default: ['binance', 'coinbase', 'kraken'],
    help: 'where real prices come from, in a file names or tables with `name`, `url`, `weight`; `spot` is of the first',
  }),
  exchangesMin: setting(whole(), {
    default: 2,
    help: 'fewer exchanges that agree make no oracle price',
  }),
  exchangeSilentMs: setting(whole('ms'), {
    default: 10_000,
    help: 'an exchange that is silent for more milliseconds does not count',
  }),
  exchangeOutlierBps: setting(whole('bps'), {
    default: 100,
    help: 'nor one that is further from the median of the others, in basis points',
  }),
};
