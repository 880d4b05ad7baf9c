import { Address, type OpenOrder } from '@oddlot/protocol';
import type { Address as AnyAddress } from '@oddlot/units';
import * as z from 'zod';
import type { Coin, Coins } from '../coins.ts';
import { type Call, differs, same } from '../calls.ts';
import { RefusedError } from '../refused-error.ts';
import { ask, type Requester } from '../venue-access.ts';
import {
  activeAssetOf,
  agentsOf,
  clearinghouseOf,
  feesOf,
  PORTFOLIO_WINDOWS,
  portfolioOf,
} from './account.ts';
import { type Aggregation, bookOf, stepOf, tickFor } from './book.ts';
import { fillsOf, fundingOf, ledgerOf, tradeOf } from './fills.ts';
import { frontendOrder, historicalOrder, openOrder, reportedOrder } from './orders.ts';
import { rowsOf, type Span } from './pages.ts';
import {
  aggregation,
  builder,
  coin,
  dex,
  interval,
  oid,
  span,
  spanFromStart,
  user,
} from './read-query.ts';
import {
  contextsOf,
  marginTable,
  marginTableIds,
  metaOf,
  midsOf,
  numberText,
  predictedFundings,
  SPOT_META,
} from './universe.ts';
import { parseExact } from '@oddlot/units';

export type InfoContext = Requester & { readonly coins: Coins };

type InfoCall<Schema extends z.ZodType = z.ZodType> = Call & {
  readonly schema: Schema;
  readonly answer: (context: InfoContext, query: z.output<Schema>) => unknown;
};

/** Defines a call whose query type is inferred from its schema. */
function call<Shape extends z.ZodRawShape>(
  description: Call,
  fields: Shape,
  answer: InfoCall<z.ZodObject<Shape>>['answer'],
): InfoCall {
  return { ...description, schema: z.object(fields), answer: answer as InfoCall['answer'] };
}

const NO_SUB_ACCOUNTS = differs('Always null: there are no such accounts.');
const FILLS_MAX = 2_000;
const FUNDINGS_MAX = 500;
const HISTORICAL_MAX = 2_000;

export const INFO_CALLS = {
  meta: call(
    differs('Margin tables contain the maximum leverage, without tiers.'),
    dex,
    ({ coins }) => metaOf(coins),
  ),
  allPerpMetas: call(same('The metadata of the venue only.'), {}, ({ coins }) => [metaOf(coins)]),
  marginTable: call(
    differs('The id is the maximum leverage; there are no tiers.'),
    { id: z.number() },
    ({ coins }, { id }) => {
      if (marginTableIds(coins).includes(id)) return marginTable(id);
      throw new RefusedError(`Unknown margin table ${id}. meta lists the tables.`);
    },
  ),
  metaAndAssetCtxs: call(
    differs('Margin tables contain the maximum leverage, without tiers.'),
    dex,
    ({ coins, venue }) => [metaOf(coins), contextsOf(coins, venue.contexts())],
  ),
  allMids: call(same('All perps that are not delisted.'), dex, ({ coins, venue }) =>
    midsOf(coins, venue.contexts()),
  ),
  l2Book: call(
    differs('An aggregated book can have fewer than 20 levels.'),
    { ...coin, ...aggregation },
    l2Book,
  ),
  recentTrades: call(same('The last 50 trades.'), coin, ({ coins, venue }, query) =>
    venue.recentTrades(coinOf(coins, query.coin).id).map((trade) => tradeOf(coins, trade)),
  ),
  candleSnapshot: call(
    same('The last 5,000 candles of the period.'),
    { req: z.object({ ...coin, ...interval, ...span }) },
    candleSnapshot,
  ),
  fundingHistory: call(same('The first 500 hours.'), { ...coin, ...span }, fundingHistory),
  predictedFundings: call(differs('Only the rates of this venue.'), {}, ({ coins, venue }) =>
    predictedFundings(coins, venue.contexts()),
  ),
  clearinghouseState: call(
    same('In hedge mode, a coin can occur twice.'),
    { ...user, ...dex },
    async (context, query) =>
      clearinghouseOf(
        context.coins,
        await ask(context, { type: 'clearinghouseState', user: query.user }),
      ),
  ),
  activeAssetData: call(
    same('The largest sizes at the mark price.'),
    { ...user, ...coin },
    async (context, query) => {
      const { id, name } = coinOf(context.coins, query.coin);
      const asked = { type: 'activeAssetData', user: query.user, coin: String(id) } as const;
      return activeAssetOf(name, await ask(context, asked));
    },
  ),
  openOrders: call(
    same('Includes orders that wait for a trigger price.'),
    { ...user, ...dex },
    (context, query) =>
      openOrdersOf(context, query.user).map((order) => openOrder(context.coins, order)),
  ),
  frontendOpenOrders: call(
    same('Includes orders that wait for a trigger price.'),
    { ...user, ...dex },
    (context, query) =>
      openOrdersOf(context, query.user).map((order) => frontendOrder(context.coins, order)),
  ),
  orderStatus: call(
    differs('Orders that the venue rejected have no status.'),
    { ...user, ...oid },
    orderStatus,
  ),
  historicalOrders: call(same('The last 2,000 orders.'), user, async (context, query) => {
    const asked = { type: 'historicalOrders', user: query.user, limit: HISTORICAL_MAX } as const;
    return (await ask(context, asked))
      .filter(({ order }) => context.coins.has(order.instrumentId))
      .map((row) => historicalOrder(context.coins, row));
  }),
  userFills: call(
    differs('Partial fills are never combined.'),
    { ...user, aggregateByTime: z.boolean().nullish() },
    async (context, query) => {
      const asked = { type: 'userFills', user: query.user, limit: FILLS_MAX } as const;
      return fillsOf(context.coins, await ask(context, asked));
    },
  ),
  userFillsByTime: call(
    differs('Partial fills are never combined.'),
    { ...user, ...span, aggregateByTime: z.boolean().nullish(), reversed: z.boolean().nullish() },
    async (context, query) => {
      const rows = await rowsOf(context, { type: 'userFills', user: query.user }, query, FILLS_MAX);
      return fillsOf(context.coins, rows);
    },
  ),
  userFunding: call(
    differs('Rows have no transaction hash.'),
    { ...user, ...spanFromStart },
    async (context, query) => {
      const asked = { type: 'userFundings', user: query.user } as const;
      const rows = await rowsOf(context, asked, query, FUNDINGS_MAX);
      return rows.map((row) => fundingOf(context.coins, row));
    },
  ),
  userNonFundingLedgerUpdates: call(
    differs('Faucet grants are deposits; rows of outcome markets are omitted.'),
    { ...user, ...spanFromStart },
    async (context, query) => {
      const asked = {
        type: 'userNonFundingLedgerUpdates',
        user: query.user,
        accountTypes: ['perp'],
      } as const;
      const rows = await rowsOf(context, asked, query, FILLS_MAX);
      return rows.flatMap((row) => ledgerOf(context.coins, row) ?? []);
    },
  ),
  userFees: call(differs('Daily volumes are empty.'), user, async (context, query) =>
    feesOf(
      await ask(context, { type: 'feeTierInfo' }),
      await ask(context, { type: 'feeTierRates', user: query.user }),
    ),
  ),
  userRateLimit: call(
    differs('The limit is per client address and second.'),
    user,
    async (context, query) => {
      const { exchange } = await ask(context, { type: 'rateLimit' });
      const nRequestsUsed = exchange.limit - exchange.remaining;
      const cumVlm = await volumeOf(context, query.user);
      return { cumVlm, nRequestsUsed, nRequestsCap: exchange.limit, nRequestsSurplus: 0 };
    },
  ),
  userRole: call(same('`missing` before the first funds.'), user, userRole),
  extraAgents: call(differs('Agents do not expire.'), user, async (context, query) =>
    agentsOf(await ask(context, { type: 'approvedAgents', user: query.user })),
  ),
  maxBuilderFee: call(
    same('In tenths of a basis point.'),
    { ...user, ...builder },
    async (context, query) => {
      const approved = await ask(context, { type: 'approvedBuilders', user: query.user });
      const rate = approved.find((each) => each.builder === query.builder)?.maxFeeRate ?? '0%';
      return Number(parseExact(rate.replace('%', ''), 3) ?? 0n);
    },
  ),
  approvedBuilders: call(same('Their addresses.'), user, async (context, query) => {
    const approved = await ask(context, { type: 'approvedBuilders', user: query.user });
    return approved.map((each) => each.builder);
  }),
  portfolio: call(differs('The windows of perps equal those of the account.'), user, portfolio),
  userToMultiSigSigners: call(same('Null for an ordinary account.'), user, (context, query) =>
    ask(context, { type: 'multiSigSigners', user: query.user }),
  ),
  subAccounts: call(NO_SUB_ACCOUNTS, user, () => null),
  subAccounts2: call(NO_SUB_ACCOUNTS, user, () => null),
  isVip: call(differs('Always false.'), user, () => false),
  legalCheck: call(differs('Every account is allowed.'), user, () => ({
    ipAllowed: true,
    acceptedTerms: true,
    userAllowed: true,
  })),
  preTransferCheck: call(
    differs('Transfers are free, and no account is sanctioned.'),
    { ...user, source: Address },
    ({ venue }, query) => {
      const userExists = venue.hasAccount(query.user as AnyAddress);
      return { fee: '0.0', isSanctioned: false, userExists, userHasSentTx: userExists };
    },
  ),
  userVaultEquities: call(differs('Always empty.'), user, () => []),
  userAbstraction: call(differs('Always `disabled`.'), user, () => 'disabled'),
  userDexAbstraction: call(differs('Always null.'), user, () => null),
  referral: call(differs('There are no referrals.'), user, async (context, query) => ({
    referredBy: null,
    cumVlm: await volumeOf(context, query.user),
    unclaimedRewards: '0.0',
    claimedRewards: '0.0',
    builderRewards: '0.0',
    referrerState: { stage: 'needToTrade', data: { required: '0.0' } },
    rewardHistory: [],
    tokenToState: [],
  })),
  twapHistory: call(differs('Always empty.'), user, () => []),
  userTwapSliceFills: call(differs('Always empty.'), user, () => []),
  userTwapSliceFillsByTime: call(differs('Always empty.'), { ...user, ...span }, () => []),
  spotMeta: call(differs('Only the token USDC and no markets.'), {}, () => SPOT_META),
  spotMetaAndAssetCtxs: call(differs('Only the token USDC and no markets.'), {}, () => [
    SPOT_META,
    [],
  ]),
  spotClearinghouseState: call(differs('Always empty.'), { ...user, ...dex }, () => ({
    balances: [],
  })),
  perpDexs: call(differs('Only the venue itself, which is null.'), {}, () => [null]),
  perpsAtOpenInterestCap: call(differs('Always empty.'), dex, () => []),
  perpCategories: call(differs('Always empty.'), {}, () => []),
  perpConciseAnnotations: call(differs('Always empty.'), {}, () => []),
  perpAnnotation: call(differs('Always null.'), coin, () => null),
  liquidatable: call(differs('Always empty.'), {}, () => []),
  exchangeStatus: call(same('The time of the venue.'), {}, ({ venue }) => ({
    time: venue.timeMs(),
    specialStatuses: null,
  })),
  webData2: call(
    differs('Vaults, TWAP orders and spot balances are empty.'),
    user,
    (context, query) => webData2(context, query.user),
  ),
} as const satisfies Readonly<Record<string, InfoCall>>;

/**
 * Returns the perp with this name. If there is none, throws a refusal that lists the known names.
 */
export function coinOf(coins: Coins, name: string): Coin {
  const found = coins.named(name);
  if (found !== undefined) return found;
  const names = coins.all.map((each) => each.name).join(', ');
  throw new RefusedError(`Unknown coin '${name}'. The coins of this venue are ${names}.`);
}

/** Returns an account's live perp orders. */
export function openOrdersOf(
  { coins, venue }: Pick<InfoContext, 'coins' | 'venue'>,
  account: string,
): readonly OpenOrder[] {
  const orders = venue.openOrders(account as AnyAddress);
  return orders.filter(({ instrumentId }) => coins.has(instrumentId));
}

async function l2Book(
  context: InfoContext,
  query: { readonly coin: string } & Aggregation,
): Promise<object> {
  const { id, name, perp } = coinOf(context.coins, query.coin);
  const step = stepNear(context, id, query);
  const tick = tickFor(step, perp.bookTicks);
  return bookOf(name, await ask(context, { type: 'l2Book', coin: String(id), tick }), step);
}

/**
 * Returns the price step near the mid price of a perp, or near its mark if there is no mid price.
 */
export function stepNear(
  { venue }: Pick<InfoContext, 'venue'>,
  id: number,
  wanted: Aggregation,
): bigint | undefined {
  const ctx = venue.contexts().find(({ instrumentId }) => instrumentId === id)?.ctx;
  return stepOf(wanted, ctx?.midPx ?? ctx?.markPx ?? null);
}

async function candleSnapshot(
  context: InfoContext,
  { req }: { readonly req: { readonly coin: string; readonly interval: string } & Span },
): Promise<object[]> {
  const { id, name } = coinOf(context.coins, req.coin);
  const { endTime, startTime } = req;
  const candles = await ask(context, {
    type: 'candleSnapshot',
    req: {
      coin: String(id),
      interval: req.interval as '1m',
      startTime,
      ...(endTime === undefined || endTime === null ? {} : { endTime }),
    },
  });
  return candles.map(({ instrumentId: _, ...candle }) => ({ ...candle, s: name }));
}

async function fundingHistory(
  context: InfoContext,
  query: { readonly coin: string } & Span,
): Promise<object[]> {
  const { id, name } = coinOf(context.coins, query.coin);
  const { endTime, startTime } = query;
  const rows = await ask(context, {
    type: 'fundingHistory',
    coin: String(id),
    startTime,
    ...(endTime === undefined || endTime === null ? {} : { endTime }),
  });
  return rows.map((row) => ({ ...row, coin: name, premium: numberText(row.premium) }));
}

async function userRole(context: InfoContext, query: { user: string }): Promise<object> {
  const { owner } = await ask(context, { type: 'agentOwner', agent: query.user });
  if (owner !== null) return { role: 'agent', data: { user: owner } };
  return { role: context.venue.hasAccount(query.user as AnyAddress) ? 'user' : 'missing' };
}

/** Returns a live order, or an order's last state in the history. */
async function orderStatus(
  context: InfoContext,
  query: { user: string; oid: number | string },
): Promise<object> {
  const { coins, venue } = context;
  const target = typeof query.oid === 'string' ? { cloid: query.oid } : { oid: query.oid };
  const live = venue
    .openOrders(query.user as AnyAddress)
    .find((order) =>
      target.cloid === undefined ? order.oid === target.oid : order.cloid === target.cloid,
    );
  if (live !== undefined) {
    const order = frontendOrder(coins, live);
    return {
      status: 'order',
      order: { order, status: 'open', statusTimestamp: live.timestamp },
    };
  }
  const report = await reportOf(context, query.user, target);
  if (report === undefined) return { status: 'unknownOid' };
  const time = report.end?.time;
  const asked = { type: 'historicalOrders', user: query.user } as const;
  const rows =
    time === undefined
      ? []
      : await ask(context, { ...asked, startTime: time, endTime: time, limit: HISTORICAL_MAX });
  const row = rows.find(({ order }) => order.oid === report.oid);
  return {
    status: 'order',
    order: row === undefined ? reportedOrder(coins, report) : historicalOrder(coins, row),
  };
}

async function reportOf(
  context: InfoContext,
  account: string,
  target: { readonly oid?: number; readonly cloid?: string },
) {
  try {
    const asked = { type: 'executionReport', user: account, ...target } as const;
    return (await ask(context, asked)).orders[0];
  } catch (error) {
    // Hyperliquid returns a status for an unknown order instead of a refusal.
    if (error instanceof RefusedError && error.status < 500 && error.status !== 429) {
      return undefined;
    }
    throw error;
  }
}

async function portfolio(context: InfoContext, query: { user: string }): Promise<object> {
  const rows: [string, object][] = [];
  for (const [name, window] of PORTFOLIO_WINDOWS) {
    const data = await ask(context, { type: 'portfolio', user: query.user, window });
    rows.push([name, portfolioOf(data)]);
  }
  const ofPerps = rows.map(([name, data]) => [
    `perp${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    data,
  ]);
  return [...rows, ...ofPerps];
}

/** Returns the total volume that an account has traded. */
async function volumeOf(context: InfoContext, account: string): Promise<string> {
  const asked = { type: 'portfolio', user: account, window: 'all' } as const;
  return (await ask(context, asked)).points.at(-1)?.volume ?? '0.0';
}

export async function webData3(context: InfoContext, account: string): Promise<object> {
  const { vaultEquity } = await ask(context, { type: 'clearinghouseState', user: account });
  return {
    userState: { ...frontendState(context, account), abstraction: 'disabled' },
    perpDexStates: [
      { totalVaultEquity: vaultEquity, perpsAtOpenInterestCap: [], leadingVaults: [] },
    ],
  };
}

/** Returns the account data that both versions of the front end's query include. */
function frontendState({ venue }: InfoContext, account: string): object {
  return {
    agentAddress: null,
    agentValidUntil: null,
    cumLedger: '0.0',
    serverTime: venue.timeMs(),
    isVault: false,
    user: account,
  };
}

export async function webData2(context: InfoContext, account: string): Promise<object> {
  const { coins, venue } = context;
  const state = await ask(context, { type: 'clearinghouseState', user: account });
  const contexts = venue.contexts();
  return {
    clearinghouseState: clearinghouseOf(coins, state),
    leadingVaults: [],
    totalVaultEquity: state.vaultEquity,
    openOrders: openOrdersOf(context, account).map((order) => frontendOrder(coins, order)),
    ...frontendState(context, account),
    meta: metaOf(coins),
    assetCtxs: contextsOf(coins, contexts),
    twapStates: [],
    spotState: { balances: [] },
    spotAssetCtxs: [],
    perpsAtOpenInterestCap: [],
  };
}
