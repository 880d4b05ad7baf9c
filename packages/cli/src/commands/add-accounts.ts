import type { Command } from 'commander';
import { createClient, randomPrivateKey, TransportError } from '@oddlot/sdk';
import { CliError, nameFields } from '../cli-error.ts';
import { findInstrument } from '../arguments.ts';
import { print, table } from '../print.ts';
import {
  ACCOUNT_ARGUMENT,
  defaultKeyOf,
  type GlobalOptions,
  type CommandContext,
} from '../command-context.ts';
import { readSecret } from '../keystore.ts';
import { CONFIRM, executed, printReply } from '../print-reply.ts';

export function addAccounts(program: Command, around: CommandContext): void {
  addKeys(program, around);
  addMoney(program, around);
  const agents = program
    .command('agents')
    .summary('List and approve agents (keys that can trade but cannot transfer or withdraw)');
  agents
    .command('list')
    .summary('List the approved agents of an account')
    .argument('[address]', ACCOUNT_ARGUMENT)
    .action(async (address: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { user } = await around.accountOf(options, address);
      const found = await around.reader(options).info.approvedAgents({ user });
      const rows = found.map((agent) => ({
        name: agent.agentName,
        address: agent.agentAddress,
      }));
      print({ json: found, lines: table(rows, 'No agents') }, options.json);
    });
  agents
    .command('approve')
    .summary('Create a key, approve it as an agent of your account and add it to the keystore')
    .argument('<name>', 'Name for the key and the agent')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.accountSigner(options);
      const password = await around.password(`Password for ${name}: `);
      const { address } = await around.keystore.add(name, randomPrivateKey(), password, {
        agentOf: client.wallet!.address,
      });
      const agent = { agentAddress: address, agentName: name };
      const reply = await client.exchange.approveAgent(agent, CONFIRM).catch((error: unknown) => {
        // A rejected key is useless, so it is removed. A key whose approval is unknown may still
        // become valid, so it is kept.
        if (!(error instanceof TransportError)) around.keystore.remove(name);
        throw error;
      });
      print(
        {
          json: { name, address, ...executed(reply) },
          lines: [`Approved agent ${name} ${address}`],
        },
        options.json,
      );
    });
}

const KEYS_HELP =
  'Keys are stored in ~/.oddlot/keystore (or ODDLOT_HOME), each encrypted with a password ' +
  '(scrypt, AES-256-GCM). Passwords and private keys are read from the terminal or from ' +
  'ODDLOT_PASSWORD and ODDLOT_PRIVATE_KEY, never from the command line.';

function addKeys(program: Command, around: CommandContext): void {
  const keys = program
    .command('keys')
    .summary('Manage password-encrypted keys')
    .description(KEYS_HELP);
  keys
    .command('list')
    .summary('List the keys in the keystore and mark the default')
    .action((_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>();
      const all = around.keystore.list();
      const chosen = defaultKeyOf(all, around.profile.defaultKey)?.name;
      const rows = all.map((key) => ({
        name: key.name,
        address: key.address,
        kind: key.kind,
        default: key.name === chosen ? 'default' : '',
      }));
      const shown = all.map((key) => ({ ...key, isDefault: key.name === chosen }));
      print(
        { json: shown, lines: table(rows, 'No keys. Create one with `oddlot keys new`.') },
        json,
      );
    });
  keys
    .command('default')
    .summary('Set the default key for commands without --key')
    .description(
      'Sets the key for commands without --key. Until you set one, your account key is the ' +
        'default if you have exactly one; keys created by `oddlot agents approve` are used only if there is no ' +
        'account key.',
    )
    .argument('<name>', 'Key name, as shown by `oddlot keys list`')
    .addHelpText('after', '\nExample:\n  oddlot keys default main')
    .action((name: string, _: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>();
      const key = around.keystore.find(name);
      around.profile.setDefaultKey(name);
      const line = `Commands without --key now use ${name} (${key.address})`;
      print({ json: { ...key, isDefault: true }, lines: [line] }, json);
    });
  keys
    .command('new')
    .summary('Create a key')
    .argument('[name]', 'Name for the key', 'main')
    .action(async (name: string, _: unknown, command: Command) => {
      await keep(name, randomPrivateKey(), command);
    });
  keys
    .command('import')
    .summary('Import a private key')
    .argument('[name]', 'Name for the key', 'main')
    .action(async (name: string, _: unknown, command: Command) => {
      const text =
        around.env['ODDLOT_PRIVATE_KEY'] ??
        (await readSecret('Private key: ', 'ODDLOT_PRIVATE_KEY'));
      if (!/^0x[0-9a-f]{64}$/i.test(text)) {
        throw new CliError('key', 'Invalid private key. Use 0x followed by 64 hex digits.');
      }
      await keep(name, text as `0x${string}`, command);
    });
  async function keep(name: string, key: `0x${string}`, command: Command): Promise<void> {
    const { json } = command.optsWithGlobals<GlobalOptions>();
    const stored = await around.keystore.add(name, key, await around.password('New password: '));
    print({ json: stored, lines: [`${stored.name} ${stored.address}`] }, json);
  }
}

function addMoney(program: Command, around: CommandContext): void {
  program
    .command('faucet')
    .summary('Get test USDC from the faucet (test venues only)')
    .argument('[address]', ACCOUNT_ARGUMENT)
    .option('--outcome', 'Credit the outcome sub-account instead of the perp sub-account')
    .action(async (address: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { outcome?: boolean }>();
      const { user } = await around.accountOf(options, address);
      const accountType = options.outcome === true ? 'outcome' : 'perp';
      const grant = await createClient({ url: options.url }).faucet({ user, accountType });
      print(
        { json: grant, lines: [`Credited ${grant.amount} test USDC to ${user} (${accountType})`] },
        options.json,
      );
    });
  const withdraw = program
    .command('withdraw')
    .summary('Withdraw USDC to the settlement chain')
    .argument('<amount>', 'Amount of USDC, including the fee')
    .argument('[destination]', "Address on the settlement chain (default: your key's address)")
    .action(async (amount: string, to: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.accountSigner(options);
      const destination = to ?? client.wallet!.address;
      const reply = await client.exchange.withdraw3({ destination, amount }, CONFIRM);
      printReply(reply, `Withdrawal of ${amount} USDC to ${destination} accepted`, options);
    });
  nameFields(withdraw, {
    amount: ['<amount>', 'a USDC amount with at most 6 decimal places'],
    destination: ['[destination]', '0x followed by 40 hex digits'],
  });
  for (const what of ['split', 'merge'] as const) {
    const operate = program
      .command(what)
      .summary(
        what === 'split'
          ? 'Convert USDC into pairs of YES and NO shares'
          : 'Convert pairs of YES and NO shares back into USDC',
      )
      .argument('<pairs>', 'Number of pairs, 1 USDC each')
      .argument('<market>', 'Slug or id of an outcome market')
      .action(async (sz: string, name: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const client = await around.signer(options);
        const { id: asset } = await findInstrument(client, name);
        const operations = [{ asset, sz }];
        const request = what === 'split' ? { split: operations } : { merge: operations };
        const reply = await client.exchange.outcomeOperate(request, CONFIRM);
        printReply(
          reply,
          `${what === 'split' ? 'Split' : 'Merged'} ${sz} pairs of ${name}`,
          options,
        );
      });
    nameFields(operate, { [`${what}.sz`]: ['<pairs>', 'a decimal number'] });
  }
}
