import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { createMcpServer, type McpOptions, type Tier, TIERS } from '../mcp/create-mcp-server.ts';
import { TradingCaps } from '../mcp/trading-caps.ts';
import type { CommandContext, GlobalOptions } from '../command-context.ts';

type Options = GlobalOptions & {
  readonly tier: Tier;
  readonly account?: string;
  readonly maxOrder?: string;
  readonly maxDay?: string;
};

/**
 * Adds the Model Context Protocol server, which language models use over standard input and output.
 */
export function addMcp(program: Command, around: CommandContext): void {
  program
    .command('mcp')
    .summary('Serve tools for language models (Model Context Protocol)')
    .description(
      'Serves tools over standard input and output. Each tier contains the ones before it: ' +
        'market data, account data, simulated orders, orders. No tier can move funds or change ' +
        'keys. Set ODDLOT_PASSWORD for the tier trade.',
    )
    .addOption(new Option('--tier <tier>', 'Tools to offer').choices(TIERS).default('market'))
    .option('--account <address>', "Account to read (default: your key's account)")
    .option('--max-order <usdc>', 'Maximum value of an order in USDC (required for trade)')
    .option('--max-day <usdc>', 'Maximum value of orders in 24 hours in USDC (required for trade)')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot mcp\n  oddlot mcp --tier simulate\n' +
        '  oddlot mcp --tier trade --key bot --max-order 500 --max-day 5000',
    )
    .action(async (_: unknown, command: Command) => {
      const served = await optionsOf(command.optsWithGlobals<Options>(), around);
      const ended = Promise.withResolvers<void>();
      const handle = serveStdio(() => createMcpServer(served));
      process.stdin.once('end', ended.resolve).once('close', ended.resolve);
      await ended.promise;
      await handle.close();
    });
}

async function optionsOf(options: Options, around: CommandContext): Promise<McpOptions> {
  const { tier } = options;
  const reader = around.reader(options);
  if (tier === 'market') return { reader, tier, user: undefined, trading: undefined };
  if (tier !== 'trade') {
    const { user } = await around.accountOf(options, options.account);
    return { reader, tier, user, trading: undefined };
  }
  const { maxDay, maxOrder } = options;
  if (maxOrder === undefined || maxDay === undefined) {
    throw new CliError('usage', 'The tier trade requires --max-order and --max-day.');
  }
  if (options.account !== undefined) {
    throw new CliError('usage', 'The tier trade uses the account of --key. Omit --account.');
  }
  if (around.env['ODDLOT_PASSWORD'] === undefined) {
    throw new CliError('key', 'Set ODDLOT_PASSWORD: standard input is used by the protocol.');
  }
  const { user } = await around.tradedAccount(options);
  const client = await around.signer(options);
  const caps = new TradingCaps(around.mcpFolder(user), { order: maxOrder, day: maxDay });
  return { reader, tier, user, trading: { client, caps } };
}
