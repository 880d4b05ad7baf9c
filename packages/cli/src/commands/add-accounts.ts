import type { Command } from 'commander';
import { createClient, randomPrivateKey, TransportError } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { findInstrument } from '../find-instrument.ts';
import { print, table } from '../print.ts';
import { readSecret } from '../read-secret.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { CONFIRM, executed, tellReply } from '../tell-reply.ts';

/** Keys, agents and money. */
export function addAccounts(program: Command, around: Surroundings): void {
  addKeys(program, around);
  addMoney(program, around);
  const agents = program.command('agents').summary('keys that trade and cannot move money');
  agents
    .command('list')
    .argument('[address]', 'whose; by default those of your key')
    .action(async (address: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const user = around.userOf(options, address);
      const found = await around.reader(options).info.approvedAgents({ user });
      const rows = found.map((agent) => ({
        name: agent.agentName,
        address: agent.agentAddress,
      }));
      print({ json: found, lines: table(rows, 'no agents') }, options.json);
    });
  agents
    .command('approve')
    .summary('lets a new key trade for your account, and keeps it in the keystore')
    .argument('<name>', 'of the key, and of the agent')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.signer(options);
      const password = await around.password(`Password for ${name}: `);
      const { address } = await around.keystore.add(name, randomPrivateKey(), password);
      const agent = { agentAddress: address, agentName: name };
      const reply = await client.exchange.approveAgent(agent, CONFIRM).catch((error: unknown) => {
        // A key that nobody lets trade is of no use; one of which nobody knows yet may be.
        if (!(error instanceof TransportError)) around.keystore.remove(name);
        throw error;
      });
      print(
        { json: { name, address, ...executed(reply) }, lines: [`${name} ${address} may trade`] },
        options.json,
      );
    });
}

function addKeys(program: Command, around: Surroundings): void {
  const keys = program
    .command('keys')
    .summary('keys of your accounts, encrypted with a password')
    .description(
      'Keys are kept in ~/.oddlot/keystore (or ODDLOT_HOME), each encrypted with a password (scrypt, AES-256-GCM). ' +
        'Passwords and keys are asked for in the terminal, or taken from ODDLOT_PASSWORD and ODDLOT_PRIVATE_KEY; never from a command line.',
    );
  keys.command('list').action((_: unknown, command: Command) => {
    const { json } = command.optsWithGlobals<GlobalOptions>();
    const all = around.keystore.list();
    print({ json: all, lines: table(all, 'no keys; make one with `oddlot keys new`') }, json);
  });
  keys
    .command('new')
    .argument('[name]', 'what you call it', 'main')
    .action(async (name: string, _: unknown, command: Command) => {
      await keep(name, randomPrivateKey(), command);
    });
  keys
    .command('import')
    .argument('[name]', 'what you call it', 'main')
    .action(async (name: string, _: unknown, command: Command) => {
      const text =
        around.env['ODDLOT_PRIVATE_KEY'] ??
        (await readSecret('Private key: ', 'ODDLOT_PRIVATE_KEY'));
      if (!/^0x[0-9a-f]{64}$/i.test(text)) {
        throw new CliError('key', 'a private key is 0x and 64 hex digits');
      }
      await keep(name, text as `0x${string}`, command);
    });
  async function keep(name: string, key: `0x${string}`, command: Command): Promise<void> {
    const { json } = command.optsWithGlobals<GlobalOptions>();
    const stored = await around.keystore.add(name, key, await around.password('New password: '));
    print({ json: stored, lines: [`${stored.name} ${stored.address}`] }, json);
  }
}

function addMoney(program: Command, around: Surroundings): void {
  program
    .command('faucet')
    .summary('test USDC, where money is not real')
    .argument('[address]', 'for whom; by default for your key')
    .option('--outcome', 'for outcome markets rather than perps')
    .action(async (address: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { outcome?: boolean }>();
      const user = around.userOf(options, address);
      const accountType = options.outcome === true ? 'outcome' : 'perp';
      const grant = await createClient({ url: options.url }).faucet({ user, accountType });
      print(
        { json: grant, lines: [`${user} has ${grant.amount} test USDC more (${accountType})`] },
        options.json,
      );
    });
  program
    .command('withdraw')
    .summary('USDC to the settlement chain')
    .argument('<amount>', 'USDC, the fee included')
    .argument('[destination]', 'by default your own address')
    .action(async (amount: string, to: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const client = await around.signer(options);
      const destination = to ?? client.wallet!.address;
      const reply = await client.exchange.withdraw3({ destination, amount }, CONFIRM);
      tellReply(reply, `${amount} USDC are on their way to ${destination}`, options);
    });
  for (const what of ['split', 'merge'] as const) {
    program
      .command(what)
      .summary(
        what === 'split'
          ? 'USDC into pairs of YES and NO shares'
          : 'pairs of shares back into USDC',
      )
      .argument('<pairs>', 'how many, 1 USDC each')
      .argument('<market>', 'the slug or id of an outcome market')
      .action(async (sz: string, name: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const client = await around.signer(options);
        const { id: asset } = await findInstrument(client, name);
        const operations = [{ asset, sz }];
        const wanted = what === 'split' ? { split: operations } : { merge: operations };
        const reply = await client.exchange.outcomeOperate(wanted, CONFIRM);
        tellReply(reply, `${what}: ${sz} pairs of ${name}`, options);
      });
  }
}
