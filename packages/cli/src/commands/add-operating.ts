import type { Command } from 'commander';
import type { Client, SetPerpParameters } from '@oddlot/sdk';
import { CliError, nameFields } from '../cli-error.ts';
import { findInstrument, findPerp } from '../arguments.ts';
import { print } from '../print.ts';
import { listEvent, readEventFile } from '../event/list-event.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { CONFIRM, printReply } from '../print-reply.ts';

/** Adds the listing commands, used by a venue's admins and deployers. */
export function addOperating(program: Command, around: CommandContext): void {
  addMarket(program, around);
  addEvent(program, around);
}

type PerpChange = GlobalOptions & {
  readonly takerFee?: string;
  readonly makerFee?: string;
  readonly tick?: string;
  readonly maxOrder?: string;
  readonly maxMarketOrder?: string;
  readonly impact?: string;
  readonly premiumCap?: string;
  readonly yes?: boolean;
};

function addMarket(program: Command, around: CommandContext): void {
  const market = program.command('market').summary('Change, halt or delist markets (admins only)');
  const change = market
    .command('change')
    .summary("Change a perp's fees and limits, effective from the next block")
    .argument('<perp>', 'A perp such as BTC')
    .option('--taker-fee <rate>', 'Taker fee as a fraction, such as 0.0004')
    .option('--maker-fee <rate>', 'Maker fee as a fraction, 0 or more, such as 0.0001')
    .option('--tick <step>', 'Tick size')
    .option('--max-order <size>', 'Maximum size of a limit order')
    .option('--max-market-order <size>', 'Maximum size of a market order')
    .option('--impact <usdc>', 'Impact notional in USDC')
    .option(
      '--premium-cap <rate>',
      'Maximum premium per funding sample as a fraction, such as 0.01',
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PerpChange>();
      const changes = {
        takerFeeRate: options.takerFee,
        makerFeeRate: options.makerFee,
        priceTick: options.tick,
        maxLimitOrderSize: options.maxOrder,
        maxMarketOrderSize: options.maxMarketOrder,
        impactNotional: options.impact,
        premiumCap: options.premiumCap,
      };
      const named = Object.entries(changes).filter(([, value]) => value !== undefined);
      if (named.length === 0)
        throw new CliError('usage', 'Nothing to change. Pass at least one option; see --help.');
      await setPerp(around, options, name, Object.fromEntries(named), 'updated');
    });
  nameFields(change, {
    'setPerp.takerFeeRate': ['--taker-fee', 'a fraction'],
    'setPerp.makerFeeRate': ['--maker-fee', 'a fraction'],
    'setPerp.priceTick': ['--tick', 'a decimal number'],
    'setPerp.maxLimitOrderSize': ['--max-order', 'a decimal number'],
    'setPerp.maxMarketOrderSize': ['--max-market-order', 'a decimal number'],
    'setPerp.impactNotional': ['--impact', 'a decimal number'],
  });
  for (const [name, isHalted] of [
    ['halt', true],
    ['resume', false],
  ] as const) {
    market
      .command(name)
      .summary(
        isHalted
          ? 'Halt trading in a market; cancels are still accepted'
          : 'Resume trading in a market',
      )
      .argument('<market>', 'A perp such as BTC, or the slug or id of an outcome market')
      .action(async (instrument: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        await setTrading(around, options, instrument, isHalted);
      });
  }
  market
    .command('delist')
    .summary('Delist a perp; it closes permanently in one hour')
    .argument('<perp>', 'A perp such as BTC')
    .option('--yes', 'Confirm that delisting is final')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PerpChange>();
      meant(options, `Delisting ${name} is final`);
      await setPerp(around, options, name, { delisted: true }, 'is closing');
    });
}

async function setPerp(
  around: CommandContext,
  options: GlobalOptions,
  name: string,
  changes: Omit<SetPerpParameters, 'instrumentId'>,
  done: string,
): Promise<void> {
  const client = await around.signer(options);
  const { id: instrumentId, name: found } = await findPerp(client, name);
  const reply = await client.exchange.venueAdmin.setPerp({ instrumentId, ...changes }, CONFIRM);
  printReply(reply, `${found} ${done}`, options);
}

async function setTrading(
  around: CommandContext,
  options: GlobalOptions,
  instrument: string,
  isHalted: boolean,
): Promise<void> {
  const client = await around.signer(options);
  const { id, isOutcome, name } = await findInstrument(client, instrument);
  const { outcomeDeploy, venueAdmin } = client.exchange;
  const state = isHalted ? 'halt' : 'open';
  const reply = isOutcome
    ? await outcomeDeploy.setTrading({ instrumentIds: [id], state }, CONFIRM)
    : await venueAdmin.setPerp({ instrumentId: id, haltTrading: isHalted }, CONFIRM);
  printReply(reply, `${name} ${isHalted ? 'is halted' : 'is trading again'}`, options);
}

function meant({ yes }: { readonly yes?: boolean }, what: string): void {
  if (yes !== true) throw new CliError('usage', `${what}. Confirm with --yes.`);
}

function addEvent(program: Command, around: CommandContext): void {
  const event = program
    .command('event')
    .summary('List and resolve outcome markets (deployers only)');
  event
    .command('create')
    .summary('List an event and its markets')
    .description(
      'Lists an event and its markets. The whole file is checked before anything is sent. ' +
        'If the command is interrupted, run it again: it lists only what is missing.',
    )
    .argument('<file>', 'JSON file: {"event": {…}, "markets": [{…}]} (see the API reference)')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const eventFile = readEventFile(file);
      const made = await listEvent(await around.signer(options), eventFile, file);
      const lines = made.map(
        ({ id, isNew, slug }) =>
          `${isNew ? 'Listed' : 'Already listed:'} ${slug} as market ${id} of event ${eventFile.event.slug}`,
      );
      print({ json: made, lines }, options.json);
    });
  event
    .command('close')
    .summary('End trading in a market early, so that it can be resolved')
    .argument('<market>', 'Market id, or its slug while it is open')
    .option('--yes', 'Confirm that closing is final')
    .action(async (market: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { yes?: boolean }>();
      meant(options, `Closing ${market} is final`);
      const client = await around.signer(options);
      const trading = { instrumentIds: [await marketId(client, market)], state: 'close' } as const;
      const reply = await client.exchange.outcomeDeploy.setTrading(trading, CONFIRM);
      printReply(reply, `${market} is closed`, options);
    });
  const resolve = event
    .command('resolve')
    .summary('Resolve a closed market by setting the payout of a YES share')
    .argument('<market>', 'Market id, or its slug while it is open')
    .argument('<fraction>', 'Payout of a YES share in USDC, from 0 to 1')
    .option('--evidence <text>', 'Evidence for the result')
    .option('--yes', 'Confirm that the resolution is final')
    .action(async (market: string, settlementFraction: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        GlobalOptions & { evidence?: string; yes?: boolean }
      >();
      meant(options, `Resolving ${market} is final`);
      const client = await around.signer(options);
      const instrumentId = await marketId(client, market);
      const { evidence } = options;
      const result = {
        instrumentId,
        settlementFraction,
        ...(evidence === undefined ? {} : { evidence }),
      };
      const reply = await client.exchange.outcomeDeploy.resolve(result, CONFIRM);
      printReply(reply, `Each YES share of ${market} pays ${settlementFraction} USDC`, options);
    });
  nameFields(resolve, { 'resolve.settlementFraction': ['<fraction>', 'a number from 0 to 1'] });
}

/** Returns the id of a market. Only open markets can be found by slug; an id needs no lookup. */
async function marketId(client: Client, market: string): Promise<number> {
  if (/^[0-9]+$/.test(market)) return Number(market);
  const { id, isOutcome, name } = await findInstrument(client, market);
  if (!isOutcome)
    throw new CliError('usage', `${name} is a perp. This command is for outcome markets.`);
  return id;
}
