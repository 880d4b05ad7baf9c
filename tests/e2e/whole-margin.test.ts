import {
  createClient,
  limitOrder,
  privateKeyWallet,
  type ActiveAssetData,
  type AssetPosition,
  type Client,
  type OrderEntry,
  type OrderResult,
  type PerpMeta,
} from '@oddlot/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draftStore, type Draft } from '../../packages/web/src/features/perps/ticket/draft.ts';
import {
  againForMargin,
  freshOrders,
  sizingOf,
  type askedPrices,
} from '../../packages/web/src/features/perps/ticket/share-of-most.ts';
import { gridOf } from '../../packages/web/src/features/perps/use-account.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom, type SeededRandom } from '../support/seeded.ts';
import { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

/**
 * Goal: the trading page's order for 100% of the margin is accepted and uses the free margin.
 * Method: the page's own code computes random tickets for accounts in every margin mode, on a venue
 * with moving prices and books.
 */

const TICKETS = Number(process.env['TICKETS'] ?? 120);
const SEED = freshSeed('TICKETS_SEED');
const ACCOUNTS = 12;

/**
 * USDC per faucet payment. At every leverage, an order for the whole amount is smaller than the
 * book near the mark.
 */
const FUNDS = '150';
const TAKER_FEE = 0.00045;
const CONFIRM = { confirm: 'executed' } as const;
const MARGIN_MODES = ['cross', 'isolated', 'hedge', 'hedge isolated'] as const;

type Trader = {
  readonly client: Client;
  readonly user: `0x${string}`;
  readonly mode: (typeof MARGIN_MODES)[number];
  readonly random: SeededRandom;
};

type Ticket = {
  readonly what: string;
  /** The reason why the order was rejected, or why part of it was cancelled for lack of margin. */
  readonly refusal: string | undefined;
  /**
   * The unused part of this side's free margin, in percent. Undefined if another limit determined
   * the size.
   */
  readonly left: number | undefined;
};

let venue: Venue;
let perps: readonly PerpMeta[];
beforeAll(async () => {
  venue = await Venue.start(['--no-limits', '--faucet-usdc', FUNDS, '--faucet-every-ms', '1']);
  const { universe } = await createClient({ url: venue.url }).info.perpMeta();
  perps = universe.filter(({ onlyIsolated }) => !onlyIsolated).slice(0, 2);
});
afterAll(async () => {
  const faults = venue?.faults();
  await venue?.remove();
  expect(faults).toEqual([]);
});

async function open(at: number): Promise<Trader> {
  const wallet = privateKeyWallet(keyOf(`whole margin ${SEED} ${at}`));
  const client = createClient({ url: venue.url, wallet });
  const user = wallet.address;
  const mode = MARGIN_MODES[at % MARGIN_MODES.length]!;
  const random = seededRandom(SEED + at);
  await client.faucet({ user });
  if (mode.startsWith('hedge')) {
    await client.exchange.updatePositionMode({ positionMode: 'hedge' }, CONFIRM);
  }
  const isCross = !mode.includes('isolated');
  for (const { index, maxLeverage } of perps) {
    await client.exchange.updateMarginMode({ asset: index, isCross }, CONFIRM);
    // A negative leverage selects the short side.
    for (const sign of isCross || mode === 'isolated' ? [1] : [1, -1]) {
      const leverage = sign * (1 + random.below(maxLeverage));
      const marginMode = isCross ? 'cross' : 'isolated';
      await client.exchange.updateLeverage({ asset: index, leverage, marginMode }, CONFIRM);
    }
  }
  return { client, user, mode, random };
}

/** Creates small or large orders and positions in addition to the sized order. */
async function prepare({ client, random, user }: Trader, perp: PerpMeta): Promise<void> {
  const coin = String(perp.index);
  const { lot, tick } = gridOf(perp);
  for (const isResting of [false, true]) {
    if (random.below(2) === 0) continue;
    const { markPx, maxTradeSzs } = await client.info.activeAssetData({ user, coin });
    const isBuy = random.below(2) === 0;
    const most = Number(maxTradeSzs[isBuy ? 0 : 1]);
    const size = steps((most * (5 + random.below(60))) / 100, lot);
    const away = isResting ? 0.9 : 1.03;
    const price = steps(Number(markPx) * (isBuy ? away : 2 - away), tick);
    if (Number(size) * Number(price) < 11) continue;
    const tif = isResting ? 'Gtc' : 'FrontendMarket';
    const side = isBuy ? 'buy' : 'sell';
    const order = limitOrder({ asset: perp.index, side, size, price, tif });
    await client.exchange.order({ orders: [order] }, CONFIRM).catch(() => undefined);
  }
}

function steps(value: number, step: string): string {
  const decimals = step.includes('.') ? step.length - 2 : 0;
  return (Math.floor(value / Number(step)) * Number(step)).toFixed(decimals);
}

async function draftOf({ client, random, user }: Trader, perp: PerpMeta): Promise<Draft> {
  const side = random.pick(['buy', 'sell'] as const);
  const shared = { ...draftStore.getState(), side, share: 100 };
  if (random.below(2) === 0) return { ...shared, type: 'market' };
  const coin = String(perp.index);
  const { levels } = await client.info.l2Book({ coin });
  const { markPx } = await client.info.activeAssetData({ user, coin });
  // Beyond this distance, there are only the test accounts' own orders.
  const [bid, ask] = levels
    .map(([best]) => Number(best?.px ?? 0))
    .map((px) => (Math.abs(px / Number(markPx) - 1) > 0.05 ? Number(markPx) : px));
  const reach = random.pick([0, 0, 0.0005, 0.01, 0.05]);
  const best = random.below(2) === 0 ? bid! : ask!;
  const price = steps(best * (1 + reach * (2 * random.next() - 1)), perp.priceTick);
  return { ...shared, type: 'limit', price };
}

async function send(trader: Trader): Promise<Ticket> {
  const { client, mode, random, user } = trader;
  const perp = random.pick(perps);
  await prepare(trader, perp);
  const draft = await draftOf(trader, perp);
  const coin = String(perp.index);
  const grid = gridOf(perp);
  const isHedge = mode.startsWith('hedge');
  const around = { asset: perp.index, grid, hasMark: true, nowMs: Date.now(), isHedge };
  const positions: readonly AssetPosition[] = [];
  const { assetPositions } = await client.info.clearinghouseState({ user });
  const isOpposite = ({ position: { asset, szi } }: AssetPosition): boolean =>
    !isHedge && asset === coin && Number(szi) > 0 !== (draft.side === 'buy');
  const turns = assetPositions.some(isOpposite);
  let asked: ActiveAssetData | undefined;
  let entry: OrderEntry | undefined;
  const ask = async (px: ReturnType<typeof askedPrices>): Promise<ActiveAssetData> =>
    (asked = await client.info.activeAssetData({ user, coin, px }));
  const askBook = () => client.info.l2Book({ coin });
  const questions = { coin, positions, ask, askBook };
  const attempt = async () => {
    const drafted = await freshOrders(draft, around, questions);
    if (drafted.missing !== undefined) throw new Error(`nothing to send: ${drafted.missing}`);
    [entry] = drafted.parameters.orders;
    return client.exchange.order(drafted.parameters, CONFIRM);
  };
  const { asset: free } = await sizingOf(draft, grid, questions);
  const at = draft.side === 'buy' ? 0 : 1;
  const what = `${mode} ${draft.side} ${draft.type} ${draft.price} on ${perp.name}, most ${free.maxTradeSzs[at]}`;
  const { maxTradeSzs } = await client.info.activeAssetData({ user, coin });
  const atMark = Number(maxTradeSzs[at]);
  // With no free margin, the page has no order to send.
  if (Number(free.availableToTrade[at]) < 12) return send(trader);
  try {
    const reply = await againForMargin(attempt);
    if (reply.status !== 'executed') throw new Error(`not executed: ${reply.status}`);
    const fault = reply.failure?.error ?? (await stopOf(trader, reply.orders[0]));
    if (fault !== undefined) return { what, refusal: fault, left: undefined };
    const left = await leftOf(
      { asked: asked!, entry: entry!, order: reply.orders[0]!, perp, at, atMark, turns },
      () => ask([entry!.p, entry!.p]),
    );
    return { what, refusal: undefined, left };
  } catch (error) {
    const { details, message } = error as { message: string; details?: object };
    return {
      what,
      refusal: `${message} ${JSON.stringify(details)} ${JSON.stringify(entry)}`,
      left: undefined,
    };
  } finally {
    await client.exchange.cancelAll({}, CONFIRM);
    await closeAll(trader);
  }
}

/**
 * Returns the reason for a partial cancel for lack of margin, which is part of the order's final
 * state.
 */
async function stopOf({ client, user }: Trader, order: OrderResult | undefined) {
  if (order?.oid === null || order?.oid === undefined || order.state !== 'cancelled')
    return undefined;
  const { orders } = await client.info.executionReport({ user, oid: order.oid });
  const reason = orders[0]?.end?.reason ?? '';
  return /margin/i.test(reason) ? reason : undefined;
}

type Done = {
  readonly asked: ActiveAssetData;
  readonly entry: OrderEntry;
  readonly order: OrderResult;
  readonly perp: PerpMeta;
  readonly at: 0 | 1;
  /** The maximum size if the book imposed no limit. */
  readonly atMark: number;
  /** True if the order first reduces a position. */
  readonly turns: boolean;
};

async function leftOf(
  { asked, at, atMark, entry, order, perp, turns }: Done,
  again: () => Promise<ActiveAssetData>,
): Promise<number | undefined> {
  const size = Number(entry.s);
  const filled = Number(order.filledSz);
  const { maxLimitOrderSize, maxMarketOrderSize } = perp;
  const isMarket = 'limit' in entry.t && entry.t.limit.tif === 'FrontendMarket';
  const isIsolated = asked.leverage.type === 'Isolated';
  const isBound = size > 0.98 * (isMarket ? maxMarketOrderSize : maxLimitOrderSize);
  const isCut = isMarket && filled < size;
  // The book limits the order's size.
  const isThin = !isIsolated && Number(asked.maxTradeSzs[at]) < 0.995 * atMark;
  if (isBound || isCut || isThin || (isIsolated && turns)) return undefined;
  const { availableToTrade, markPx } = await again();
  // The mark has changed, and the account value with it.
  if (markPx !== asked.markPx) return undefined;
  // A resting cross order pays its fee later and reserves nothing for it. An isolated order
  // reserves margin up to its limit price; if it fills at better prices, the surplus is released
  // (R-isolated).
  const fee = (size - filled) * Number(entry.p) * TAKER_FEE;
  const setAside = filled * Math.abs(Number(entry.p) - Number(order.avgPx ?? 0)) * (1 + TAKER_FEE);
  const owed = isIsolated ? setAside : fee;
  return (100 * (Number(availableToTrade[at]) - owed)) / Number(asked.availableToTrade[at]);
}

async function closeAll({ client, user }: Trader): Promise<void> {
  const { assetPositions } = await client.info.clearinghouseState({ user });
  for (const { position } of assetPositions) {
    const isLong = Number(position.szi) > 0;
    const price = steps(
      Number(position.markPx) * (isLong ? 0.96 : 1.04),
      perps.find(({ index }) => String(index) === position.asset)!.priceTick,
    );
    const order = limitOrder({
      asset: Number(position.asset),
      side: isLong ? 'sell' : 'buy',
      size: position.szi.replace('-', ''),
      price,
      reduceOnly: true,
      tif: 'FrontendMarket',
    });
    await client.exchange.order({ orders: [order] }, CONFIRM).catch(() => undefined);
  }
  // Trading costs fees, so the account is funded again before the next ticket.
  await client.faucet({ user });
}

test(
  `an order for 100% of the margin is accepted and leaves less than 1% of the free margin, TICKETS_SEED=${SEED}`,
  { timeout: 120_000 + TICKETS * 1_000 },
  async () => {
    const traders = await Promise.all(Array.from({ length: ACCOUNTS }, (_, at) => open(at)));
    const tickets: Ticket[] = [];
    // Tickets are sent one after another. The bots move the book, and none of the test's other
    // accounts consumes it.
    while (tickets.length < TICKETS) tickets.push(await send(traders[tickets.length % ACCOUNTS]!));
    const refused = tickets.filter(({ refusal }) => refusal !== undefined);
    const shares = tickets
      .flatMap(({ left }) => (left === undefined ? [] : [left]))
      .toSorted((a, b) => a - b);
    const over = tickets.filter(({ left = 0 }) => left > 1);
    process.stdout.write(
      `tickets: ${tickets.length}, accepted ${tickets.length - refused.length}; left of what was free: ` +
        `${shares.length} measured, median ${shares[shares.length >> 1]?.toFixed(3)}%, most ${shares.at(-1)?.toFixed(3)}%, ${over.length} above 1%\n`,
    );
    process.stdout.write(
      [...refused, ...over]
        .slice(0, 40)
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
    // About two orders in a thousand lose a part because the book moves at the same time. With few
    // tickets, two are allowed.
    const refusedMax = Math.max(2, TICKETS * 0.005);
    expect(refused.length, JSON.stringify(refused, undefined, 1)).toBeLessThanOrEqual(refusedMax);
    expect(over.length, JSON.stringify(over, undefined, 1)).toBeLessThanOrEqual(TICKETS * 0.01);
  },
);
