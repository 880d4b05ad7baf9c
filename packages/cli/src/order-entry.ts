import {
  bracketOrder,
  buyNo,
  buyYes,
  type Client,
  Instruments,
  limitOrder,
  marketOrder,
  type OrderEntry,
  type OrderParameters,
  sellNo,
  sellYes,
} from '@oddlot/sdk';
import { decimalText, type Instrument } from './arguments.ts';
import { CliError } from './cli-error.ts';

/** Returns the order, either alone or together with TP/SL orders that close its filled size. */
export function withExits(
  parent: OrderEntry,
  { isOutcome, name }: Instrument,
  { sl, tp }: { readonly sl?: string | undefined; readonly tp?: string | undefined },
): OrderParameters {
  if (tp === undefined && sl === undefined) return { orders: [parent] };
  if (isOutcome)
    throw new CliError('usage', `${name} is an outcome market. TP/SL is available on perps only.`);
  return bracketOrder({
    parent,
    takeProfit: tp === undefined ? undefined : { triggerPrice: decimalText('--tp', tp) },
    stopLoss: sl === undefined ? undefined : { triggerPrice: decimalText('--sl', sl) },
  });
}

/** An order as described by the user. An order without a price is a market order. */
type OrderInput = {
  readonly side: 'buy' | 'sell';
  readonly size: string;
  readonly tif: 'Gtc' | 'Alo' | 'Ioc';
  readonly leg: 'yes' | 'no';
  readonly slippage: string;
  readonly price?: string | undefined;
  readonly reduceOnly?: boolean | undefined;
  readonly cloid?: string | undefined;
};

/** Returns the order entry for a perp or an outcome market. */
export async function orderOf(
  client: Pick<Client, 'info'>,
  instrument: Instrument,
  input: OrderInput,
): Promise<OrderEntry> {
  const { cloid, leg, price, reduceOnly, side, size, tif } = input;
  const asset = instrument.id;
  if (instrument.isOutcome) {
    if (price === undefined) {
      throw new CliError('usage', 'Missing --price. Orders on outcome markets need a limit price.');
    }
    const make = { buy: { yes: buyYes, no: buyNo }, sell: { yes: sellYes, no: sellNo } }[side][leg];
    if (tif === 'Ioc')
      throw new CliError('usage', 'Invalid --tif Ioc. Outcome markets do not support it.');
    return make({ asset, price, size, tif, cloid });
  }
  if (price !== undefined) return limitOrder({ asset, side, price, size, tif, reduceOnly, cloid });
  const perp = await (await Instruments.load(client)).find(asset);
  const bound = { slippagePercent: readSlippage(input.slippage), reduceOnly, cloid };
  return marketOrder(client, { instrument: perp, side, size, ...bound });
}

function readSlippage(text: string): string {
  if (/^[0-9]{1,2}(\.[0-9]+)?$/.test(text)) return text;
  throw new CliError('usage', `Invalid --slippage "${text}". Use a percentage from 0 to 99.`);
}
