import { z } from 'zod';
import { binance } from './binance.ts';
import { coinbase } from './coinbase.ts';
import type { ExchangeFormat } from './exchange-format.ts';
import { kraken } from './kraken.ts';

const FORMATS = { binance, coinbase, kraken } satisfies Record<string, ExchangeFormat>;

export const EXCHANGE_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

const ExchangeName = z.enum(EXCHANGE_NAMES);

const ExchangeTable = z.strictObject({
  name: ExchangeName,
  url: z.url({ protocol: /^wss?$/ }).optional(),
  weight: z.number().positive().max(1_000).optional(),
});

/** An exchange to take prices from: its name, or its name with an address and a weight. */
export const ExchangeSetting = z.union([ExchangeName, ExchangeTable]).transform((setting) => {
  const { name, url, weight }: z.infer<typeof ExchangeTable> =
    typeof setting === 'string' ? { name: setting } : setting;
  const format: ExchangeFormat = FORMATS[name];
  return { name, format, url: url ?? format.url, weight: weight ?? 1 };
});

export type ExchangeSource = z.infer<typeof ExchangeSetting>;
