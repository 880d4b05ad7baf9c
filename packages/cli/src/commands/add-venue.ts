import type { Command } from 'commander';
import { createClient } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { print, table } from '../print.ts';
import { ACCOUNT_ARGUMENT, type GlobalOptions, type CommandContext } from '../command-context.ts';

const EXPORTS = ['fills', 'fundings', 'ledger', 'orders'] as const;

export function addVenue(program: Command, around: CommandContext): void {
  program
    .command('status')
    .summary('Show the status of a venue: readiness, blocks, accounts and funds')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { info } = around.reader(options);
      const [status, health] = await Promise.all([info.venueStatus(), info.venueHealth()]);
      const failing = health.failing.join(', ');
      const lines = [
        `${health.ready ? 'ready' : `not ready: ${failing}`}, block ${status.height}, ${health.blockAgeMs} ms ago`,
        `${status.accounts} accounts, ${status.openWithdrawals} open withdrawals, insurance fund ${status.insuranceFund} USDC`,
      ];
      print({ json: { status, health }, lines }, options.json);
    });
  program
    .command('markets')
    .summary('List perps')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const meta = await around.reader(options).info.perpMeta();
      const rows = meta.universe.map(({ index, maxLeverage, name, priceTick }) => ({
        id: String(index),
        name,
        tick: priceTick,
        leverage: String(maxLeverage),
      }));
      print({ json: meta, lines: table(rows, 'No perps') }, options.json);
    });
  program
    .command('outcomes')
    .summary('List open outcome markets')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const page = await around.reader(options).info.outcomeMeta({ status: 'open' });
      const rows = page.events.flatMap((event) =>
        event.markets.map(({ instrument_id: id, pricing, question, slug }) => ({
          id: String(id),
          slug,
          yes: pricing.yes_price,
          question,
        })),
      );
      print({ json: page, lines: table(rows, 'No open outcome markets') }, options.json);
    });
  program
    .command('export')
    .summary("Export an account's full history as CSV (with --json: one JSON object per line)")
    .argument('<what>', 'What to export: fills, fundings, ledger or orders')
    .argument('[address]', ACCOUNT_ARGUMENT)
    .action(async (what: string, address: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const name = EXPORTS.find((each) => each === what);
      if (name === undefined) {
        throw new CliError('usage', `Invalid <what> "${what}". Use one of ${EXPORTS.join(', ')}.`);
      }
      const { user } = await around.accountOf(options, address);
      const client = createClient({ url: options.url });
      const format = options.json === true ? 'ndjson' : 'csv';
      for await (const line of client.exportLines(name, { user, format })) {
        process.stdout.write(`${line}\n`);
      }
    });
}
