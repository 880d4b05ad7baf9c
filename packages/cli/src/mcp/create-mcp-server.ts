import { McpServer } from '@modelcontextprotocol/server';
import {
  ApiError,
  type Client,
  isNonceSpent,
  type Reader,
  ValidationError,
  VERSION,
} from '@oddlot/sdk';
import * as z from 'zod';
import { findInstrument, type Instrument } from '../arguments.ts';
import { orderOf, withExits } from '../order-entry.ts';
import { CONFIRM } from '../print-reply.ts';
import { type TradingCaps, valueOf } from './trading-caps.ts';

/**
 * The tiers of tools that a model can use. Each tier also includes the tools of all earlier tiers.
 * None of the tools can transfer funds or change keys.
 */
export const TIERS = ['market', 'account', 'simulate', 'trade'] as const;

export type Tier = (typeof TIERS)[number];

export type McpOptions = {
  readonly reader: Reader;
  readonly tier: Tier;
  /** The account whose data is read. All tiers except `market` require it. */
  readonly user: string | undefined;
  /** The client that signs orders, and its limits; defined for the tier `trade`. */
  readonly trading: { readonly client: Client; readonly caps: TradingCaps } | undefined;
};

/** Creates a Model Context Protocol server with the tools of a tier. */
export function createMcpServer(options: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'oddlot', version: VERSION },
    {
      instructions:
        'Tools of an Oddlot venue: perpetual futures and outcome markets. Prices, sizes and amounts are decimal ' +
        'strings. Instruments are names such as BTC, slugs of outcome markets, or ids.',
    },
  );
  addMarketTools(server, options);
  const { trading, user } = options;
  if (user === undefined) return server;
  addAccountTools(server, { ...options, user });
  if (options.tier === 'simulate' || options.tier === 'trade') {
    addSimulation(server, { ...options, user });
  }
  if (trading !== undefined) addTradingTools(server, { ...options, user, ...trading });
  return server;
}

const READ = { readOnlyHint: true, openWorldHint: true } as const;
const instrument = z.string().describe('Name such as BTC, slug of an outcome market, or id');
const rows = z.int().min(1).max(200).default(50).describe('Maximum number of rows');

type Shape = Readonly<Record<string, z.ZodType>>;

/** Adds a tool whose result is JSON. */
function addTool<Fields extends Shape>(
  server: McpServer,
  name: string,
  {
    description,
    fields,
    isReading = true,
    run,
  }: {
    readonly description: string;
    readonly fields: Fields;
    readonly isReading?: boolean;
    readonly run: (input: z.output<z.ZodObject<Fields>>) => Promise<unknown>;
  },
): void {
  const annotations = isReading
    ? READ
    : { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
  const inputSchema = z.strictObject(fields);
  server.registerTool(name, { description, inputSchema, annotations }, async (input) => {
    try {
      const result = await run(input as z.output<z.ZodObject<Fields>>);
      return { content: [{ type: 'text' as const, text: JSON.stringify(result) }] };
    } catch (error) {
      // The error is returned to the model, which can correct its request. A server failure is
      // reported in the same way, because the protocol has no other channel.
      const text = error instanceof Error ? error.message : String(error);
      return { content: [{ type: 'text' as const, text }], isError: true };
    }
  });
}

function addMarketTools(server: McpServer, { reader }: McpOptions): void {
  const { info } = reader;
  addTool(server, 'list_perps', {
    description: 'Lists all perpetual futures with tick size, lot size and maximum leverage',
    fields: {},
    run: () => info.perpMeta(),
  });
  addTool(server, 'list_outcome_markets', {
    description: 'Lists events with their outcome markets and prices',
    fields: {
      search: z.string().max(100).optional().describe('Words that an event must contain'),
      status: z.enum(['upcoming', 'open', 'closed', 'resolved', 'all']).default('open'),
      limit: z.int().min(1).max(50).default(20),
    },
    run: (input) => info.outcomeMeta(input),
  });
  addTool(server, 'get_order_book', {
    description:
      'Returns the best 20 levels on each side of a book; prices of outcome markets are YES prices',
    fields: { instrument },
    run: async (input) => info.l2Book({ coin: await coinOf(reader, input.instrument) }),
  });
  addTool(server, 'get_candles', {
    description: 'Returns candles, oldest first: open, high, low, close and volume',
    fields: {
      instrument,
      interval: z.enum(['1m', '5m', '15m', '1h', '4h', '1d']).default('1h'),
      startTime: z.int().describe('Unix time in milliseconds'),
      endTime: z.int().optional().describe('Unix time in milliseconds; default: now'),
    },
    run: async ({ instrument: name, ...span }) =>
      info.candleSnapshot({ coin: await coinOf(reader, name), ...span }),
  });
  addTool(server, 'get_funding_history', {
    description: 'Returns the hourly funding rates of a perp',
    fields: { instrument, startTime: z.int(), endTime: z.int().optional() },
    run: async ({ instrument: name, ...span }) =>
      info.fundingHistory({ coin: await coinOf(reader, name), ...span }),
  });
  addTool(server, 'get_venue_status', {
    description: 'Returns block height, time, access control and the age of oracle prices',
    fields: {},
    run: () => info.venueStatus(),
  });
}

async function coinOf(reader: Reader, name: string): Promise<string> {
  return String((await findInstrument(reader, name)).id);
}

type Reading = McpOptions & { readonly user: string };

function addAccountTools(server: McpServer, { reader, user }: Reading): void {
  const { info } = reader;
  addTool(server, 'get_account', {
    description: 'Returns balances, margin and positions of both sub-accounts',
    fields: {},
    run: async () => ({
      user,
      perp: await info.clearinghouseState({ user, accountType: 'perp' }),
      outcome: await info.clearinghouseState({ user, accountType: 'outcome' }),
    }),
  });
  addTool(server, 'get_open_orders', {
    description: 'Returns resting orders and trigger orders',
    fields: {},
    run: async () => ({
      perps: await info.frontendOpenOrders({ user }),
      outcomes: await info.outcomeFrontendOpenOrders({ user }),
      triggers: await info.triggerOrders({ user }),
    }),
  });
  addTool(server, 'get_fills', {
    description: 'Returns the newest fills of both sub-accounts',
    fields: { limit: rows },
    run: ({ limit }) => info.userFills({ user, accountType: ['perp', 'outcome'], limit }),
  });
  addTool(server, 'get_order_history', {
    description: 'Returns the orders that changed last, with their status',
    fields: { limit: rows },
    run: ({ limit }) => info.historicalOrders({ user, accountType: ['perp', 'outcome'], limit }),
  });
  addTool(server, 'get_ledger', {
    description: 'Returns deposits, withdrawals, transfers and settlements',
    fields: { limit: rows },
    run: ({ limit }) =>
      info.userNonFundingLedgerUpdates({ user, accountTypes: ['perp', 'outcome'], limit }),
  });
}

const ORDER = {
  instrument,
  side: z.enum(['buy', 'sell']),
  size: z.string().describe('Size in coins, or in shares of an outcome market'),
  price: z
    .string()
    .optional()
    .describe('Limit price; without it, a market order within `slippage` (perps only)'),
  slippage: z.string().default('1').describe('Maximum slippage of a market order in percent'),
  tif: z.enum(['Gtc', 'Alo', 'Ioc']).default('Gtc').describe('Time in force of a limit order'),
  reduceOnly: z.boolean().default(false).describe('Only reduce or close a position (perps)'),
  leg: z.enum(['yes', 'no']).default('yes').describe('Outcome to trade on an outcome market'),
  takeProfit: z.string().optional().describe('Trigger price of a take-profit order (perps)'),
  stopLoss: z.string().optional().describe('Trigger price of a stop-loss order (perps)'),
} as const;

type OrderInput = z.output<z.ZodObject<typeof ORDER>>;

/** Returns the action of an order, with the entry that opens the position and its instrument. */
async function orderAction(reader: Reader, input: OrderInput) {
  const found: Instrument = await findInstrument(reader, input.instrument);
  const entry = await orderOf(reader, found, input);
  const exits = { tp: input.takeProfit, sl: input.stopLoss };
  return { entry, found, parameters: withExits(entry, found, exits) };
}

function addSimulation(server: McpServer, { reader, user }: Reading): void {
  addTool(server, 'simulate_order', {
    description: 'Returns the effect that an order would have now, without placing it',
    fields: ORDER,
    run: async (input) => {
      const { parameters } = await orderAction(reader, input);
      const { grouping = 'na', orders } = parameters;
      return reader.info.simulate({ user, action: { type: 'order', grouping, orders } as never });
    },
  });
}

function addTradingTools(
  server: McpServer,
  { reader, client, caps, user }: Reading & { readonly client: Client; readonly caps: TradingCaps },
): void {
  const { exchange } = client;
  addTool(server, 'place_order', {
    description:
      'Places an order and returns the result of its execution. Its value counts towards the limits of this server.',
    fields: ORDER,
    isReading: false,
    run: async (input) => {
      const { entry, found, parameters } = await orderAction(reader, input);
      const { b, p, r, s } = entry;
      const order = { isSell: !b, price: p, size: s };
      // An order that only reduces a perp position cannot lose more than the position can.
      const isExempt = r && !found.isOutcome;
      const value = isExempt ? 0n : await valueIn(reader, found, order);
      return withinCaps(caps, value, () => exchange.order(parameters, CONFIRM));
    },
  });
  addTool(server, 'amend_order', {
    description: 'Changes the price and the total size of an open order',
    fields: { instrument, orderId: z.int(), price: z.string(), size: z.string() },
    isReading: false,
    run: async ({ instrument: name, orderId, price, size }) => {
      const found = await findInstrument(reader, name);
      const open = await reader.info.frontendOpenOrders({ user });
      // An unknown order is valued as a sell, because a sell's value is never below a buy's.
      const isSell = open.find(({ oid }) => oid === orderId)?.side !== 'B';
      const value = await valueIn(reader, found, { isSell, price, size });
      const amend = { a: found.id, o: orderId, p: price, s: size };
      return withinCaps(caps, value, () => exchange.modify2(amend, CONFIRM));
    },
  });
  addTool(server, 'cancel_order', {
    description: 'Cancels an open order',
    fields: { instrument, orderId: z.int() },
    isReading: false,
    run: async ({ instrument: name, orderId }) => {
      const found = await findInstrument(reader, name);
      return exchange.cancel({ cancels: [{ a: found.id, o: orderId }] }, CONFIRM);
    },
  });
  addTool(server, 'cancel_all_orders', {
    description: 'Cancels all orders, or all orders of an instrument',
    fields: { instrument: instrument.optional() },
    isReading: false,
    run: async ({ instrument: name }) => {
      const asset = name === undefined ? undefined : (await findInstrument(reader, name)).id;
      return exchange.cancelAll({ asset }, CONFIRM);
    },
  });
  addTool(server, 'get_limits', {
    description: 'Returns the value of the orders of the last 24 hours, and the limit, in USDC',
    fields: {},
    run: async () => caps.day,
  });
}

type Valued = { readonly isSell: boolean; readonly price: string; readonly size: string };

/**
 * Returns the largest value at which an order could currently execute, in micro-USDC. A sell of a
 * perp executes at the bids above its limit price.
 */
async function valueIn(
  { info }: Reader,
  { id, isOutcome }: Instrument,
  { isSell, price, size }: Valued,
): Promise<bigint> {
  const atLimit = valueOf(price, size);
  if (isOutcome || !isSell) return atLimit;
  const [[best]] = (await info.l2Book({ coin: String(id) })).levels;
  const atBid = best === undefined ? 0n : valueOf(best.px, size);
  return atBid > atLimit ? atBid : atLimit;
}

/** Records the value of an order, sends it, and removes the record if the order has no effect. */
async function withinCaps<Reply>(
  caps: TradingCaps,
  value: bigint,
  send: () => Promise<Reply>,
): Promise<Reply> {
  if (value === 0n) return send();
  const release = caps.reserve(value);
  try {
    return await send();
  } catch (error) {
    // An order that got no response may have been executed.
    if (isWithoutEffect(error)) release();
    throw error;
  }
}

const HTTP_FAULT = 500;

/** Returns true if the action was not sent, or if the venue rejected it. */
function isWithoutEffect(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  return error instanceof ApiError && error.httpStatus < HTTP_FAULT && !isNonceSpent(error);
}
