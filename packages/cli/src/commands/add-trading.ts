import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  buyNo,
  buyYes,
  type Client,
  Instruments,
  limitOrder,
  marketOrder,
  type OrderEntry,
  sellNo,
  sellYes,
} from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { findInstrument, type Instrument } from '../find-instrument.ts';
import { print } from '../print.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { tellReply } from '../tell-reply.ts';
import { wholeNumber } from '../whole-number.ts';

type OrderOptions = GlobalOptions & {
  readonly price?: string;
  readonly tif: 'Gtc' | 'Alo' | 'Ioc';
  readonly slippage: string;
  readonly reduceOnly?: boolean;
  readonly leg: 'yes' | 'no';
  readonly cloid?: string;
};

const SIDES = ['buy', 'sell'] as const;

/** Orders, and what they lead to. */
export function addTrading(program: Command, around: Surroundings): void {
  addOrder(program, around);
  program
    .command('cancel')
    .summary('cancel one order, or all of them')
    .argument('[instrument]', 'what the order is on; without it everything is cancelled')
    .argument('[order-id]', 'the id that `oddlot orders` shows')
    .action(
      async (name: string | undefined, id: string | undefined, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const client = await around.signer(options);
        const reply =
          name === undefined
            ? await client.exchange.cancelAll({}, { confirm: 'executed' })
            : await client.exchange.cancel(
                { cancels: [{ a: (await findInstrument(client, name)).id, o: wholeNumber(id) }] },
                { confirm: 'executed' },
              );
        tellReply(reply, `cancelled (${reply.txHash})`, options);
      },
    );
}

function addOrder(program: Command, around: Surroundings): void {
  program
    .command('order')
    .summary('buy or sell')
    .argument('<side>', 'buy or sell', oneOf(SIDES))
    .argument('<size>', 'coins, or shares of an outcome market')
    .argument('<instrument>', 'a perp such as BTC, or the slug or id of an outcome market')
    .option(
      '--price <price>',
      'a limit; without it the order takes what is there, as far as --slippage',
    )
    .addOption(
      new Option('--tif <tif>', 'how long it stands').choices(['Gtc', 'Alo', 'Ioc']).default('Gtc'),
    )
    .option(
      '--slippage <percent>',
      'how much worse than the best price an order without one may be',
      '1',
    )
    .option('--reduce-only', 'closes and never opens')
    .addOption(
      new Option('--leg <leg>', 'of an outcome market').choices(['yes', 'no']).default('yes'),
    )
    .option('--cloid <id>', 'an id of your own: 0x and 32 hex digits')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot order buy 0.01 BTC\n  oddlot order sell 0.01 BTC --price 99000 --tif Alo\n' +
        '  oddlot order buy 20 will-it-rain --leg no --price 0.4',
    )
    .action(
      async (side: 'buy' | 'sell', size: string, name: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<OrderOptions>();
        const client = await around.signer(options);
        const instrument = await findInstrument(client, name);
        const order = await orderOf(client, instrument, { ...options, side, size });
        const reply = await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
        if (reply.status !== 'executed') {
          throw new CliError('unreachable', `not known yet: look for ${reply.txHash}`);
        }
        const [made] = reply.orders;
        if (made !== undefined && made.error !== null) throw new CliError('refused', made.error);
        const filled = hasTraded(made) ? `, ${made.filledSz} at ${made.avgPx}` : '';
        const line = `${made?.state ?? 'sent'}: order ${made?.oid ?? '?'} on ${instrument.name}${filled}`;
        print({ json: reply, lines: [line] }, options.json);
      },
    );
}

function hasTraded<Made extends { readonly avgPx: string | null }>(
  made: Made | undefined,
): made is Made & { readonly avgPx: string } {
  return made !== undefined && made.avgPx !== null;
}

async function orderOf(
  client: Client,
  instrument: Instrument,
  wanted: OrderOptions & { readonly side: 'buy' | 'sell'; readonly size: string },
): Promise<OrderEntry> {
  const { cloid, leg, reduceOnly, side, size, tif } = wanted;
  const asset = instrument.id;
  const { price } = wanted;
  if (instrument.isOutcome) {
    if (price === undefined) {
      throw new CliError('usage', 'an order on an outcome market has a --price');
    }
    const make = { buy: { yes: buyYes, no: buyNo }, sell: { yes: sellYes, no: sellNo } }[side][leg];
    if (tif === 'Ioc') throw new CliError('usage', 'an outcome market takes no Ioc orders');
    return make({ asset, price, size, tif, cloid });
  }
  if (price !== undefined) return limitOrder({ asset, side, price, size, tif, reduceOnly, cloid });
  const perp = await (await Instruments.load(client)).find(asset);
  const bound = { slippagePercent: readSlippage(wanted.slippage), reduceOnly, cloid };
  return marketOrder(client, { instrument: perp, side, size, ...bound });
}

function readSlippage(text: string): string {
  if (/^[0-9]{1,2}(\.[0-9]+)?$/.test(text)) return text;
  throw new CliError('usage', `--slippage is a percentage from 0 to 100, not "${text}"`);
}

function oneOf<Value extends string>(values: readonly Value[]) {
  return (text: string): Value => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new InvalidArgumentError(`It is one of ${values.join(', ')}.`);
    return found;
  };
}
