import type { Command } from 'commander';
import type {
  RegisterEventParameters,
  RegisterMarketParameters,
  SetPerpParameters,
} from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { findInstrument } from '../find-instrument.ts';
import { print } from '../print.ts';
import { readJsonFile } from '../read-json-file.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { CONFIRM, tellReply } from '../tell-reply.ts';

/** What is listed, and who lists it: for the admins and the deployers of a venue. */
export function addOperating(program: Command, around: Surroundings): void {
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
  readonly yes?: boolean;
};

function addMarket(program: Command, around: Surroundings): void {
  const market = program.command('market').summary('for admins: changes, halts and delists');
  market
    .command('change')
    .summary('fees and limits of a perp, from the next block on')
    .argument('<perp>')
    .option('--taker-fee <rate>', 'as a fraction: 0.0004')
    .option('--maker-fee <rate>', 'as a fraction; below zero it is paid out')
    .option('--tick <step>', 'of prices')
    .option('--max-order <size>', 'of a limit order')
    .option('--max-market-order <size>', 'of a market order')
    .option('--impact <usdc>', 'the notional that the impact price is of')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PerpChange>();
      const changes = {
        takerFeeRate: options.takerFee,
        makerFeeRate: options.makerFee,
        priceTick: options.tick,
        maxLimitOrderSize: options.maxOrder,
        maxMarketOrderSize: options.maxMarketOrder,
        impactNotional: options.impact,
      };
      const named = Object.entries(changes).filter(([, value]) => value !== undefined);
      if (named.length === 0) throw new CliError('usage', 'say what to change; see --help');
      await setPerp(around, options, name, Object.fromEntries(named), 'is changed');
    });
  for (const [name, isHalted] of [
    ['halt', true],
    ['resume', false],
  ] as const) {
    market
      .command(name)
      .summary(isHalted ? 'stops trading; cancels still pass' : 'trading goes on')
      .argument('<market>', 'a perp, or the slug or id of an outcome market')
      .action(async (wanted: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        await setTrading(around, options, wanted, isHalted);
      });
  }
  market
    .command('delist')
    .summary('closes a perp for good, in an hour')
    .argument('<perp>')
    .option('--yes', 'it is final: say that you mean it')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PerpChange>();
      meant(options, `delisting ${name} is final`);
      await setPerp(around, options, name, { delisted: true }, 'is closing');
    });
}

async function setPerp(
  around: Surroundings,
  options: GlobalOptions,
  name: string,
  changes: Omit<SetPerpParameters, 'instrumentId'>,
  done: string,
): Promise<void> {
  const client = await around.signer(options);
  const { id: instrumentId, isOutcome, name: found } = await findInstrument(client, name);
  if (isOutcome)
    throw new CliError('usage', `${found} is an outcome market, and this is for perps`);
  const reply = await client.exchange.venueAdmin.setPerp({ instrumentId, ...changes }, CONFIRM);
  tellReply(reply, `${found} ${done}`, options);
}

async function setTrading(
  around: Surroundings,
  options: GlobalOptions,
  wanted: string,
  isHalted: boolean,
): Promise<void> {
  const client = await around.signer(options);
  const { id, isOutcome, name } = await findInstrument(client, wanted);
  const { outcomeDeploy, venueAdmin } = client.exchange;
  const state = isHalted ? 'halt' : 'open';
  const reply = isOutcome
    ? await outcomeDeploy.setTrading({ instrumentIds: [id], state }, CONFIRM)
    : await venueAdmin.setPerp({ instrumentId: id, haltTrading: isHalted }, CONFIRM);
  tellReply(reply, `${name} ${isHalted ? 'is halted' : 'trades again'}`, options);
}

function meant({ yes }: { readonly yes?: boolean }, what: string): void {
  if (yes !== true) throw new CliError('usage', `${what}: say --yes if you mean it`);
}

type EventFile = {
  readonly event: RegisterEventParameters;
  readonly markets: readonly Omit<RegisterMarketParameters, 'eventSlug'>[];
};

function addEvent(program: Command, around: Surroundings): void {
  const event = program
    .command('event')
    .summary('for deployers: lists and resolves outcome markets');
  event
    .command('create')
    .summary('lists an event and its markets')
    .argument('<file>', 'JSON: {"event": {…}, "markets": [{…}]}, as the reference has them')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { event: wanted, markets } = readJsonFile<EventFile>(file, ['event', 'markets']);
      if (!Array.isArray(markets)) throw new CliError('usage', `${file}: markets is a list`);
      const { outcomeDeploy } = (await around.signer(options)).exchange;
      await outcomeDeploy.registerEvent(wanted, CONFIRM);
      const made = [];
      for (const market of markets) {
        const listed = { ...market, eventSlug: wanted.slug };
        const reply = await outcomeDeploy.registerMarket(listed, CONFIRM);
        if (reply.status !== 'executed')
          throw new CliError('unreachable', `not known yet: ${reply.txHash}`);
        made.push({ slug: market.slug, id: reply.created?.instrumentId });
      }
      const lines = made.map(({ slug, id }) => `${slug} is market ${id} of ${wanted.slug}`);
      print({ json: made, lines }, options.json);
    });
  event
    .command('resolve')
    .summary('says what a YES share of a closed market pays')
    .argument('<market>', 'its id, or its slug while it is open')
    .argument('<fraction>', 'from 0 to 1')
    .option('--evidence <text>', 'what the result rests on')
    .option('--yes', 'it is final: say that you mean it')
    .action(async (market: string, settlementFraction: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        GlobalOptions & { evidence?: string; yes?: boolean }
      >();
      meant(options, `resolving ${market} is final`);
      const client = await around.signer(options);
      const isId = /^[0-9]+$/.test(market);
      const instrumentId = isId ? Number(market) : (await findInstrument(client, market)).id;
      const { evidence } = options;
      const result = {
        instrumentId,
        settlementFraction,
        ...(evidence === undefined ? {} : { evidence }),
      };
      const reply = await client.exchange.outcomeDeploy.resolve(result, CONFIRM);
      tellReply(reply, `a YES share of ${market} pays ${settlementFraction}`, options);
    });
}
