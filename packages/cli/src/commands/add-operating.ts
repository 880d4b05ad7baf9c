import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type {
  ExecutedReply,
  PendingReply,
  RegisterEventParameters,
  RegisterMarketParameters,
  SetFeeTiersParameters,
  SetPerpParameters,
} from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { findInstrument } from '../find-instrument.ts';
import { print } from '../print.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';

const CONFIRM = { confirm: 'executed' } as const;

/** Says what was done; a request whose end is not known is no success. */
function tell(reply: ExecutedReply | PendingReply, line: string, options: GlobalOptions): void {
  if (reply.status !== 'executed') {
    throw new CliError('unreachable', `not known yet: look for ${reply.txHash}`);
  }
  if (reply.failure !== undefined) throw new CliError('refused', reply.failure.error);
  print({ json: reply, lines: [line] }, options.json);
}

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
  tell(reply, `${found} ${done}`, options);
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
  tell(reply, `${name} ${isHalted ? 'is halted' : 'trades again'}`, options);
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
      const { event: wanted, markets } = readJson<EventFile>(file, ['event', 'markets']);
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
      tell(reply, `a YES share of ${market} pays ${settlementFraction}`, options);
    });
}

/** Who may do what, and what it costs. */
export function addGovernance(program: Command, around: Surroundings): void {
  addGate(program, around);
  addOperators(program, around);
  addFees(program, around);
}

const CHANNELS = { perp: 0, outcome: 1 } as const;
type Channel = keyof typeof CHANNELS;
const MODES = ['open', 'whitelist', 'accessCode', 'closed'] as const;

function addGate(program: Command, around: Surroundings): void {
  const gate = program
    .command('gate')
    .summary('who may take new risk; without an argument it is shown');
  gate.command('show', { isDefault: true }).action(async (_: unknown, command: Command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const { gates } = await around.reader(options).info.venueStatus();
    const lines = gates.map(
      ({ channel, mode, whitelist, blacklist }) =>
        `${channel === 0 ? 'perp' : 'outcome'}: ${mode}, ${whitelist} let in, ${blacklist} kept out`,
    );
    print({ json: gates, lines }, options.json);
  });
  gate
    .command('set')
    .argument('<mode>', MODES.join(', '))
    .addOption(channelOption())
    .action(async (mode: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { channel: Channel }>();
      const found = MODES.find((each) => each === mode);
      if (found === undefined)
        throw new CliError('usage', `"${mode}" is none of ${MODES.join(', ')}`);
      const { venueAdmin } = (await around.signer(options)).exchange;
      const reply = await venueAdmin.setGate(
        { channel: CHANNELS[options.channel], mode: found },
        CONFIRM,
      );
      tell(reply, `${options.channel}: ${mode}`, options);
    });
  for (const [name, list, key] of [
    ['allow', 'whitelist', 'add'],
    ['disallow', 'whitelist', 'remove'],
    ['bar', 'blacklist', 'add'],
    ['unbar', 'blacklist', 'remove'],
  ] as const) {
    gate
      .command(name)
      .argument('<address...>')
      .addOption(channelOption())
      .action(async (addresses: string[], _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { channel: Channel }>();
        const { venueAdmin } = (await around.signer(options)).exchange;
        const change = { channel: CHANNELS[options.channel], [list]: { [key]: addresses } };
        tell(
          await venueAdmin.setGate(change, CONFIRM),
          `${name}: ${addresses.join(', ')}`,
          options,
        );
      });
  }
}

function channelOption(): Option {
  return new Option('--channel <channel>', 'of which markets')
    .choices(['perp', 'outcome'])
    .default('perp');
}

function addOperators(program: Command, around: Surroundings): void {
  const operators = program
    .command('operators')
    .summary('admins and deployers; without an argument they are shown');
  operators.command('list', { isDefault: true }).action(async (_: unknown, command: Command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const { admins, deployers } = await around.reader(options).info.venueStatus();
    const lines = [
      ...admins.map((each) => `admin     ${each}`),
      ...deployers.map((each) => `deployer  ${each}`),
    ];
    print({ json: { admins, deployers }, lines }, options.json);
  });
  for (const key of ['add', 'remove'] as const) {
    operators
      .command(key)
      .argument('<role>', 'admins or deployers')
      .argument('<address>')
      .action(async (role: string, address: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        if (role !== 'admins' && role !== 'deployers') {
          throw new CliError('usage', `"${role}" is none of admins, deployers`);
        }
        const { venueAdmin } = (await around.signer(options)).exchange;
        const reply = await venueAdmin.setOperators({ role, [key]: [address] }, CONFIRM);
        tell(reply, `${key}: ${address} (${role})`, options);
      });
  }
}

function addFees(program: Command, around: Surroundings): void {
  const fees = program
    .command('fees')
    .summary('the ladder of fee tiers; without an argument it is shown');
  fees.command('show', { isDefault: true }).action(async (_: unknown, command: Command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const ladder = await around.reader(options).info.feeTierInfo();
    print({ json: ladder, lines: [JSON.stringify(ladder, undefined, 2)] }, options.json);
  });
  fees
    .command('set')
    .summary('replaces the ladder, from the next fill on')
    .argument('<file>', 'JSON: {"tiers": [{…}]}, level 0 first, as the reference has them')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { tiers } = readJson<Pick<SetFeeTiersParameters, 'tiers'>>(file, ['tiers']);
      const { venueAdmin } = (await around.signer(options)).exchange;
      const reply = await venueAdmin.setFeeTiers({ exchangeId: 0, tiers }, CONFIRM);
      tell(reply, `${tiers.length} tiers from the next fill on`, options);
    });
}

function readJson<Value>(file: string, keys: readonly string[]): Value {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CliError('usage', `${file}: ${(cause as Error).message}`, { cause });
  }
  const missing = keys.find(
    (key) => (value as Record<string, unknown> | null)?.[key] === undefined,
  );
  if (missing !== undefined) throw new CliError('usage', `${file}: there is no "${missing}"`);
  return value as Value;
}
