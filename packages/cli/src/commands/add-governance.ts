import { type Command, Option } from 'commander';
import type { SetFeeTiersParameters } from '@oddlot/sdk';
import { CliError, nameFields } from '../cli-error.ts';
import { print } from '../print.ts';
import { readJsonFile } from '../arguments.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { CONFIRM, printReply } from '../print-reply.ts';

export function addGovernance(program: Command, around: CommandContext): void {
  addGate(program, around);
  addOperators(program, around);
  addFees(program, around);
}

const CHANNELS = { perp: 0, outcome: 1 } as const;
type Channel = keyof typeof CHANNELS;
const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;

function addGate(program: Command, around: CommandContext): void {
  const gate = program.command('gate').summary('Show or change trading access');
  gate
    .command('show', { isDefault: true })
    .summary('Show the access mode and the size of both lists')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { gates } = await around.reader(options).info.venueStatus();
      const lines = gates.map(
        ({ channel, mode, whitelist, blacklist }) =>
          `${channel === 0 ? 'perp' : 'outcome'}: ${mode}, ${whitelist} on the whitelist, ${blacklist} on the blacklist`,
      );
      print({ json: gates, lines }, options.json);
    });
  gate
    .command('set')
    .summary('Set the access mode')
    .argument('<mode>', `Access mode: ${MODES.join(', ')}`)
    .addOption(channelOption())
    .action(async (mode: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { channel: Channel }>();
      const found = MODES.find((each) => each === mode);
      if (found === undefined)
        throw new CliError('usage', `Invalid <mode> "${mode}". Use one of ${MODES.join(', ')}.`);
      const { venueAdmin } = (await around.signer(options)).exchange;
      const reply = await venueAdmin.setGate(
        { channel: CHANNELS[options.channel], mode: found },
        CONFIRM,
      );
      printReply(reply, `Access to ${options.channel} markets set to ${mode}`, options);
    });
  for (const [name, list, key, summary, done] of [
    ['allow', 'whitelist', 'add', 'Add accounts to the whitelist', 'Added to the whitelist'],
    [
      'disallow',
      'whitelist',
      'remove',
      'Remove accounts from the whitelist',
      'Removed from the whitelist',
    ],
    ['bar', 'blacklist', 'add', 'Add accounts to the blacklist', 'Added to the blacklist'],
    [
      'unbar',
      'blacklist',
      'remove',
      'Remove accounts from the blacklist',
      'Removed from the blacklist',
    ],
  ] as const) {
    const listing = gate
      .command(name)
      .summary(summary)
      .argument('<address...>', 'Account addresses')
      .addOption(channelOption())
      .action(async (addresses: string[], _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { channel: Channel }>();
        const { venueAdmin } = (await around.signer(options)).exchange;
        const change = { channel: CHANNELS[options.channel], [list]: { [key]: addresses } };
        printReply(
          await venueAdmin.setGate(change, CONFIRM),
          `${done}: ${addresses.join(', ')}`,
          options,
        );
      });
    nameFields(listing, {
      [`setGate.${list}.${key}`]: ['<address...>', '0x followed by 40 hex digits for each address'],
    });
  }
}

function channelOption(): Option {
  return new Option('--channel <channel>', 'Markets that the change applies to')
    .choices(['perp', 'outcome'])
    .default('perp');
}

function addOperators(program: Command, around: CommandContext): void {
  const operators = program.command('operators').summary('Show or change admins and deployers');
  operators
    .command('list', { isDefault: true })
    .summary('List admins and deployers')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { admins, deployers } = await around.reader(options).info.venueStatus();
      const lines = [
        ...admins.map((each) => `admin     ${each}`),
        ...deployers.map((each) => `deployer  ${each}`),
      ];
      print({ json: { admins, deployers }, lines }, options.json);
    });
  for (const key of ['add', 'remove'] as const) {
    const listing = operators
      .command(key)
      .summary(key === 'add' ? 'Add an admin or a deployer' : 'Remove an admin or a deployer')
      .argument('<role>', 'Role to change: admins or deployers')
      .argument('<address>', 'Account address')
      .action(async (role: string, address: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        if (role !== 'admins' && role !== 'deployers') {
          throw new CliError('usage', `Invalid <role> "${role}". Use admins or deployers.`);
        }
        const { venueAdmin } = (await around.signer(options)).exchange;
        const reply = await venueAdmin.setOperators({ role, [key]: [address] }, CONFIRM);
        printReply(reply, `${key === 'add' ? 'Added' : 'Removed'} ${address} (${role})`, options);
      });
    nameFields(listing, { [`setOperators.${key}`]: ['<address>', '0x followed by 40 hex digits'] });
  }
}

function addFees(program: Command, around: CommandContext): void {
  const fees = program.command('fees').summary('Show or change the fee schedule');
  fees
    .command('show', { isDefault: true })
    .summary('Show the fee schedule')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const ladder = await around.reader(options).info.feeTierInfo();
      print({ json: ladder, lines: [JSON.stringify(ladder, undefined, 2)] }, options.json);
    });
  fees
    .command('set')
    .summary('Replace the fee schedule, effective from the next fill')
    .argument(
      '<file>',
      'JSON file with the tiers, level 0 first: {"tiers": [{…}]} (see the API reference)',
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { tiers } = readJsonFile<Pick<SetFeeTiersParameters, 'tiers'>>(file, ['tiers']);
      const { venueAdmin } = (await around.signer(options)).exchange;
      const reply = await venueAdmin.setFeeTiers({ exchangeId: 0, tiers }, CONFIRM);
      printReply(reply, `Set ${tiers.length} fee tiers, effective from the next fill`, options);
    });
}
