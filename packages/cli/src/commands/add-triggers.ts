import { Argument, type Command, Option } from 'commander';
import { type AssetPosition, positionTpsl, triggerOrder } from '@oddlot/sdk';
import { CliError, nameFields } from '../cli-error.ts';
import { decimalText, findPerp } from '../arguments.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { CONFIRM, printOrders } from '../print-reply.ts';

type Side = 'long' | 'short';

type TriggerOptions = GlobalOptions & {
  readonly type: 'tp' | 'sl';
  readonly trigger: string;
  readonly price?: string;
  readonly open?: boolean;
  readonly cloid?: string;
};

type TpslOptions = GlobalOptions & {
  readonly tp?: string;
  readonly sl?: string;
  readonly tpPrice?: string;
  readonly slPrice?: string;
  readonly size?: string;
  readonly side?: Side;
};

/** Adds the commands for orders that trigger at a mark price. */
export function addTriggers(program: Command, around: CommandContext): void {
  addTrigger(program, around);
  addTpsl(program, around);
}

function addTrigger(program: Command, around: CommandContext): void {
  const placing = program
    .command('trigger')
    .summary('Place a trigger order (take-profit or stop)')
    .description(
      'Places a trigger order on a perp. The order becomes active when the mark ' +
        'reaches the trigger price. For a take-profit (tp), that price is above the mark ' +
        'for a sell and below it for a buy; for a stop (sl), the other way around.',
    )
    .addArgument(new Argument('<side>', 'Side').choices(['buy', 'sell']))
    .argument('<size>', 'Size in coins')
    .argument('<perp>', 'A perp such as BTC')
    .addOption(
      new Option('--type <type>', 'Take-profit or stop')
        .choices(['tp', 'sl'])
        .makeOptionMandatory(),
    )
    .requiredOption('--trigger <price>', 'Mark price at which the order becomes active')
    .option('--price <price>', 'Limit price of the order (default: a market order)')
    .option('--open', 'Allow the order to open a position (default: reduce-only)')
    .option('--cloid <id>', 'Client order id: 0x followed by 32 hex digits')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot trigger sell 0.01 BTC --type sl --trigger 90000\n' +
        '  oddlot trigger buy 0.01 BTC --type sl --trigger 105000 --price 105500 --open',
    )
    .action(
      async (side: 'buy' | 'sell', size: string, name: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<TriggerOptions>();
        const { cloid, open, price: limitPrice, trigger, type: kind } = options;
        const triggerPrice = decimalText('--trigger', trigger);
        const client = await around.signer(options);
        const perp = await findPerp(client, name);
        const kindOf = { kind, triggerPrice, limitPrice, reduceOnly: open !== true };
        const order = triggerOrder({ asset: perp.id, side, size, cloid, ...kindOf });
        const reply = await client.exchange.order({ orders: [order] }, CONFIRM);
        printOrders(reply, perp.name, options);
      },
    );
  nameFields(placing, {
    'orders.s': ['<size>', 'a decimal number'],
    'orders.p': ['--price', 'a decimal number'],
    'orders.c': ['--cloid', '0x followed by 32 hex digits'],
  });
}

function addTpsl(program: Command, around: CommandContext): void {
  const tpsl = program
    .command('tpsl')
    .summary('Set a take-profit, a stop-loss or both on a position')
    .description(
      'Sets a take-profit, a stop-loss or both on a position. They are cancelled when the ' +
        'position closes, and a complete fill of one cancels the other. `oddlot orders` shows ' +
        'their ids, and `oddlot cancel` removes them.',
    )
    .argument('<perp>', 'A perp such as BTC')
    .option('--tp <price>', 'Trigger price of the take-profit')
    .option('--sl <price>', 'Trigger price of the stop-loss')
    .option('--tp-price <price>', 'Limit price of the take-profit (default: a market order)')
    .option('--sl-price <price>', 'Limit price of the stop-loss (default: a market order)')
    .option('--size <size>', 'Size to close, in coins (default: the whole position)')
    .addOption(
      new Option('--side <side>', 'Position side to protect (hedge mode)').choices([
        'long',
        'short',
      ]),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot tpsl BTC --tp 110000 --sl 90000\n  oddlot tpsl BTC --sl 90000 --size 0.005',
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TpslOptions>();
      const [takeProfit, stopLoss] = [exitOf('tp', options), exitOf('sl', options)];
      if (takeProfit === undefined && stopLoss === undefined) {
        throw new CliError('usage', 'Nothing to set. Use --tp, --sl or both.');
      }
      const client = await around.signer(options);
      const perp = await findPerp(client, name);
      const { user } = await around.tradedAccount(options);
      const { assetPositions } = await client.info.clearinghouseState({ user });
      const position = sideOf(assetPositions, perp, options);
      const { size } = options;
      const orders = positionTpsl({ asset: perp.id, position, size, takeProfit, stopLoss });
      printOrders(await client.exchange.order(orders, CONFIRM), perp.name, options);
    });
  nameFields(tpsl, { 'orders.s': ['--size', 'a decimal number'] });
}

function exitOf(kind: 'tp' | 'sl', options: TpslOptions) {
  const { [kind]: triggerPrice, [`${kind}Price` as const]: limitPrice } = options;
  if (triggerPrice === undefined && limitPrice === undefined) return undefined;
  if (triggerPrice === undefined) {
    throw new CliError('usage', `--${kind}-price needs a trigger price. Add --${kind}.`);
  }
  if (limitPrice !== undefined) decimalText(`--${kind}-price`, limitPrice);
  return { triggerPrice: decimalText(`--${kind}`, triggerPrice), limitPrice };
}

/**
 * Returns the side of the position. In hedge mode, an instrument can have a long and a short
 * position.
 */
function sideOf(
  positions: readonly AssetPosition[],
  { id, name }: { readonly id: number; readonly name: string },
  { side }: TpslOptions,
): Side {
  const sides = positions
    .filter(({ position }) => position.asset === String(id))
    .map(({ position }): Side => (position.szi.startsWith('-') ? 'short' : 'long'));
  const [held] = side === undefined ? sides : sides.filter((each) => each === side);
  if (held === undefined)
    throw new CliError('refused', `No matching position in ${name}. See \`oddlot positions\`.`);
  if (side === undefined && sides.length > 1) {
    throw new CliError('usage', `${name} has both a long and a short position. Use --side.`);
  }
  return held;
}
