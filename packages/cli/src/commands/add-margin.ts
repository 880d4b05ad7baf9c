import { Argument, type Command, Option } from 'commander';
import { MONEY_DECIMALS, parseExact } from '@oddlot/units';
import { CliError } from '../cli-error.ts';
import { findPerp, wholeNumber } from '../arguments.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { CONFIRM, printReply } from '../print-reply.ts';

type Side = 'long' | 'short';
type MarginMode = 'cross' | 'isolated';

export function addMargin(program: Command, around: CommandContext): void {
  addLeverage(program, around);
  addModes(program, around);
  addIsolatedMargin(program, around);
}

function addLeverage(program: Command, around: CommandContext): void {
  program
    .command('leverage')
    .summary('Set the leverage for a perp')
    .argument('<perp>', 'A perp such as BTC')
    .argument(
      '<leverage>',
      'Leverage, a whole number from 1 to the maximum shown by `oddlot markets`',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'Margin mode to set the leverage for (default: the current mode)',
      ).choices(['cross', 'isolated']),
    )
    .addOption(sideOption())
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot leverage BTC 10\n  oddlot leverage BTC 5 --mode isolated --side short',
    )
    .action(async (name: string, text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { mode?: MarginMode; side: Side }>();
      const { mode: marginMode, side } = options;
      const times = wholeNumber('<leverage>', text);
      const client = await around.signer(options);
      const perp = await findPerp(client, name);
      // In the API, a negative leverage selects the short side.
      const leverage = side === 'short' ? -times : times;
      const change = { asset: perp.id, leverage, marginMode };
      const reply = await client.exchange.updateLeverage(change, CONFIRM);
      printReply(reply, `${perp.name} leverage set to ${times}x`, options);
    });
}

function addModes(program: Command, around: CommandContext): void {
  program
    .command('margin-mode')
    .summary('Set the margin mode for a perp: cross or isolated')
    .argument('<perp>', 'A perp such as BTC')
    .addArgument(new Argument('<mode>', 'New margin mode').choices(['cross', 'isolated']))
    .addHelpText('after', '\nExample:\n  oddlot margin-mode BTC isolated')
    .action(async (name: string, mode: MarginMode, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.signer(options);
      const perp = await findPerp(client, name);
      const change = { asset: perp.id, isCross: mode === 'cross' };
      const reply = await client.exchange.updateMarginMode(change, CONFIRM);
      printReply(reply, `${perp.name} margin mode set to ${mode}`, options);
    });
  program
    .command('position-mode')
    .summary("Set the account's position mode: one-way or hedge")
    .addArgument(new Argument('<mode>', 'New position mode').choices(['one-way', 'hedge']))
    .addHelpText('after', '\nExample:\n  oddlot position-mode hedge')
    .action(async (mode: 'one-way' | 'hedge', _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.signer(options);
      const positionMode = mode === 'hedge' ? 'hedge' : 'oneWay';
      const reply = await client.exchange.updatePositionMode({ positionMode }, CONFIRM);
      printReply(reply, `Position mode set to ${mode}`, options);
    });
}

function addIsolatedMargin(program: Command, around: CommandContext): void {
  const margin = program.command('margin').summary('Add or remove margin on an isolated position');
  for (const [name, sign] of [
    ['add', 1],
    ['remove', -1],
  ] as const) {
    const isAdd = name === 'add';
    margin
      .command(name)
      .summary(
        isAdd ? 'Add margin to an isolated position' : 'Remove margin from an isolated position',
      )
      .argument('<perp>', 'A perp such as BTC')
      .argument('<amount>', 'Amount of USDC')
      .addOption(sideOption())
      .addHelpText('after', `\nExample:\n  oddlot margin ${name} BTC 50`)
      .action(async (instrument: string, text: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { side: Side }>();
        const amount = amountOf(text);
        const client = await around.signer(options);
        const perp = await findPerp(client, instrument);
        const change = { asset: perp.id, isBuy: options.side === 'long', ntli: sign * amount };
        const reply = await client.exchange.updateIsolatedMargin(change, CONFIRM);
        const done = isAdd ? `Added ${text} USDC to` : `Removed ${text} USDC from`;
        printReply(reply, `${done} the ${perp.name} margin`, options);
      });
  }
}

function sideOption(): Option {
  return new Option('--side <side>', 'Position side (hedge mode)')
    .choices(['long', 'short'])
    .default('long');
}

function amountOf(text: string): number {
  const amount = Number(parseExact(text, MONEY_DECIMALS) ?? 0n);
  if (amount > 0 && Number.isSafeInteger(amount)) return amount;
  const expected = `Use a USDC amount above zero, with at most ${MONEY_DECIMALS} decimal places.`;
  throw new CliError('usage', `Invalid <amount> "${text}". ${expected}`);
}
