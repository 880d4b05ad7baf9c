import { Argument, type Command, Option } from 'commander';
import { CliError, nameFields } from '../cli-error.ts';
import { findInstrument, wholeNumber } from '../arguments.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { orderOf, withExits } from '../order-entry.ts';
import { CONFIRM, executed, printOrders, printReply } from '../print-reply.ts';

type OrderOptions = GlobalOptions & {
  readonly price?: string;
  readonly tif: 'Gtc' | 'Alo' | 'Ioc';
  readonly slippage: string;
  readonly reduceOnly?: boolean;
  readonly leg: 'yes' | 'no';
  readonly cloid?: string;
  readonly tp?: string;
  readonly sl?: string;
};

type CancelOptions = GlobalOptions & { readonly all?: boolean };

export function addTrading(program: Command, around: CommandContext): void {
  addOrder(program, around);
  program
    .command('cancel')
    .summary('Cancel one order, all orders on an instrument, or all orders')
    .description(
      'Cancels one order, all orders on an instrument (--all), or all orders of the ' +
        'account (no arguments). This includes trigger orders and the TP/SL of positions.',
    )
    .argument('[instrument]', 'Instrument to cancel orders on (default: all instruments)')
    .argument('[order-id]', 'Order id, as shown by `oddlot orders`')
    .option('--all', 'Cancel all orders on the instrument')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot cancel BTC 1234\n  oddlot cancel BTC --all\n  oddlot cancel',
    )
    .action(
      async (name: string | undefined, id: string | undefined, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<CancelOptions>();
        const orders = cancelled(name, id, options);
        const client = await around.signer(options);
        const { exchange } = client;
        const a = name === undefined ? undefined : (await findInstrument(client, name)).id;
        const reply =
          a === undefined || orders === 'all'
            ? await exchange.cancelAll({ asset: a }, CONFIRM)
            : await exchange.cancel({ cancels: [{ a, o: orders }] }, CONFIRM);
        printReply(reply, `Cancelled (${reply.txHash})`, options);
      },
    );
}

/**
 * Returns the orders to cancel. An order id or `all` is required, because an instrument alone would
 * be ambiguous.
 */
function cancelled(
  name: string | undefined,
  id: string | undefined,
  { all }: CancelOptions,
): number | 'all' {
  if (id === undefined && (name === undefined || all === true)) return 'all';
  if (id === undefined) {
    const how = `Add an id from \`oddlot orders\`, or cancel all orders with \`oddlot cancel ${name} --all\`.`;
    throw new CliError('usage', `[order-id] is missing. ${how}`);
  }
  if (all === true) throw new CliError('usage', 'Use either [order-id] or --all, not both.');
  return wholeNumber('[order-id]', id);
}

function addOrder(program: Command, around: CommandContext): void {
  const order = program
    .command('order')
    .summary('Place a limit or market order, optionally with TP/SL')
    .addArgument(new Argument('<side>', 'Side').choices(['buy', 'sell']))
    .argument('<size>', 'Size in coins, or in shares of an outcome market')
    .argument('<instrument>', 'A perp such as BTC, or the slug or id of an outcome market')
    .option('--price <price>', 'Limit price (default: a market order within --slippage)')
    .addOption(
      new Option('--tif <tif>', 'Time in force').choices(['Gtc', 'Alo', 'Ioc']).default('Gtc'),
    )
    .option(
      '--slippage <percent>',
      'Maximum slippage of a market order from the best price, in percent',
      '1',
    )
    .option('--reduce-only', 'Only reduce or close a position')
    .option('--tp <price>', 'Trigger price of a take-profit for the filled size')
    .option('--sl <price>', 'Trigger price of a stop-loss for the filled size')
    .addOption(
      new Option('--leg <leg>', 'Outcome to trade (outcome markets only)')
        .choices(['yes', 'no'])
        .default('yes'),
    )
    .option('--cloid <id>', 'Client order id: 0x followed by 32 hex digits')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot order buy 0.01 BTC\n  oddlot order sell 0.01 BTC --price 99000 --tif Alo\n' +
        '  oddlot order buy 0.01 BTC --tp 110000 --sl 90000\n' +
        '  oddlot order buy 20 will-it-rain --leg no --price 0.4',
    )
    .action(
      async (side: 'buy' | 'sell', size: string, name: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<OrderOptions>();
        const client = await around.signer(options);
        const instrument = await findInstrument(client, name);
        const entry = await orderOf(client, instrument, { ...options, side, size });
        const orders = withExits(entry, instrument, options);
        const reply = await client.exchange.order(orders, CONFIRM);
        printOrders(reply, instrument.name, options);
      },
    );
  nameFields(order, {
    'orders.s': ['<size>', 'a decimal number'],
    'orders.p': ['--price', 'a decimal number'],
    'orders.c': ['--cloid', '0x followed by 32 hex digits'],
  });
}

type AmendOptions = GlobalOptions & { readonly price?: string; readonly size?: string };

const SECOND_MS = 1_000;
/** The venue requires 5 s at the time of execution. The rest allows for network latency. */
const SECONDS_MIN = 10;

export function addAmends(program: Command, around: CommandContext): void {
  addAmend(program, around);
  addScheduleCancel(program, around);
}

function addAmend(program: Command, around: CommandContext): void {
  const amend = program
    .command('amend')
    .summary('Change the price or size of an open order')
    .description(
      'Changes the price, the size or both of an open order. The order keeps its id ' +
        'and, if the price does not change, its place in the queue. Trigger orders ' +
        'cannot be amended: cancel and place them again.',
    )
    .argument('<instrument>', 'A perp such as BTC, or the slug or id of an outcome market')
    .argument('<order-id>', 'Order id, as shown by `oddlot orders`')
    .option('--price <price>', 'New limit price (default: unchanged)')
    .option('--size <size>', 'New total size, including the filled part (default: unchanged)')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot amend BTC 1234 --price 98000\n  oddlot amend BTC 1234 --size 0.02',
    )
    .action(async (name: string, id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AmendOptions>();
      const o = wholeNumber('<order-id>', id);
      const { price, size } = options;
      if (price === undefined && size === undefined) {
        throw new CliError('usage', 'Nothing to change. Use --price, --size or both.');
      }
      const client = await around.signer(options);
      const { id: a, name: found } = await findInstrument(client, name);
      const { user } = await around.tradedAccount(options);
      const { info } = client;
      const [perps, outcomes] = await Promise.all([
        info.frontendOpenOrders({ user }),
        info.outcomeFrontendOpenOrders({ user }),
      ]);
      const order = [...perps, ...outcomes].find(
        ({ instrumentId, oid }) => oid === o && instrumentId === a,
      );
      if (order === undefined) {
        throw new CliError('refused', `No open order ${id} on ${found}`);
      }
      const changed = { a, o, p: price ?? order.limitPx, s: size ?? order.origSz };
      const reply = await client.exchange.modify2(changed, CONFIRM);
      printOrders(executed(reply), found, options);
    });
  nameFields(amend, {
    p: ['--price', 'a decimal number'],
    s: ['--size', 'a decimal number'],
  });
}

function addScheduleCancel(program: Command, around: CommandContext): void {
  program
    .command('schedule-cancel')
    .summary("Cancel all orders after a delay unless renewed (dead man's switch)")
    .description(
      'Cancels all orders after the given number of seconds unless you run the command ' +
        'again before then. Reduce-only trigger orders are kept because they protect ' +
        'positions.',
    )
    .argument('[seconds]', 'Seconds until cancellation (at least 10)')
    .option('--off', 'Remove the scheduled cancellation')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot schedule-cancel 60\n  oddlot schedule-cancel --off',
    )
    .action(async (text: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { off?: boolean }>();
      const { off } = options;
      if ((text === undefined) !== (off === true)) {
        throw new CliError('usage', 'Use either [seconds] or --off.');
      }
      const seconds = text === undefined ? undefined : wholeNumber('[seconds]', text);
      if (seconds !== undefined && seconds < SECONDS_MIN) {
        throw new CliError('usage', `Invalid [seconds] "${text}". Use ${SECONDS_MIN} or more.`);
      }
      const client = await around.signer(options);
      if (seconds === undefined) {
        const reply = await client.exchange.scheduleCancel({}, CONFIRM);
        return printReply(reply, 'Scheduled cancellation removed', options);
      }
      // The time is based on the venue's clock, because the machine's clock may differ.
      const time = (await client.info.venueStatus()).time + seconds * SECOND_MS;
      const reply = await client.exchange.scheduleCancel({ time }, CONFIRM);
      const at = new Date(time).toISOString();
      return printReply(reply, `All orders will be cancelled at ${at}`, options);
    });
}
