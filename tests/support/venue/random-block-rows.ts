import type { Fill, HistOrder, HistOrderRow, LedgerUpdate } from '@oddlot/protocol';
import { address, hash, present, type Address, type Hash } from '@oddlot/units';
import type { ReceiptRow } from '../../../packages/history/src/receipt.ts';
import {
  isLive,
  type AccountType,
  type AccountValueRecord,
  type BlockRows,
  type EarningRecord,
  type LedgerRecord,
  type OrderRecord,
  type SettledEventRecord,
  type WithdrawalRecord,
} from '../../../packages/history/src/rows/block-rows.ts';

import { randomBelow, type RandomBelow } from './random-below.ts';
import { RandomFigures } from './random-figures.ts';

/**
 * Random but consistent blocks with rows of every table. A seed always produces the same blocks.
 */

export const USERS: readonly Address[] = [1, 2, 3].map((n) =>
  address(`0x${String(n).repeat(4).padStart(40, 'a')}`),
);
export const BUILDERS: readonly Address[] = [7, 8].map((n) =>
  address(`0x${String(n).repeat(4).padStart(40, 'b')}`),
);
/** The first two instruments are perps, and the others are outcome markets. */
export const INSTRUMENTS = [1, 2, 1_001, 1_002];
const FIRST_OUTCOME = 1_001;
const STEPS_MS = [300_000, 3_600_000, 86_400_000];
const START_MS = 1_800_000_000_000;

function hashOf(n: number, salt = 0): Hash {
  const digits = Math.imul(n + 1, 2_654_435_761) >>> 0;
  return hash(
    `0x${digits.toString(16).padStart(12, '0')}${salt.toString(16).padStart(4, '0')}${n.toString(16).padStart(48, 'f')}`,
  );
}

/** The state carried over from block to block. */
type World = {
  readonly randomBelow: RandomBelow;
  /** Statistics have their own random numbers, so that changing them does not change other rows. */
  readonly figures: RandomFigures;
  nextOrderId: number;
  nextHash: number;
  readonly orders: OrderRecord[];
  readonly ledger: LedgerRecord[];
  readonly earnings: EarningRecord[];
  readonly withdrawals: WithdrawalRecord[];
  readonly queued: ReceiptRow[];
  events: number;
};

export function randomBlocks(seed: number, count: number): BlockRows[] {
  const world: World = {
    randomBelow: randomBelow(seed),
    figures: new RandomFigures(randomBelow(seed + 1), { users: USERS, instruments: INSTRUMENTS }),
    nextOrderId: 1,
    nextHash: 1,
    orders: [],
    ledger: [],
    earnings: [],
    withdrawals: [],
    queued: [],
    events: 0,
  };
  const blocks: BlockRows[] = [];
  let timeMs = START_MS;
  for (let height = 1; height <= count; height += 1) {
    // Some consecutive blocks have the same time, and some are hours apart.
    timeMs += [0, 1, 250, 60_000, 7_200_000][world.randomBelow(5)] ?? 0;
    blocks.push(blockOf(world, height, timeMs));
  }
  return blocks;
}

function blockOf(world: World, height: number, timeMs: number): BlockRows {
  const at = { height, timeMs };
  const head = {
    ...at,
    hash: hashOf(height, 1),
    parentHash: hashOf(height - 1, 1),
    stateHash: hashOf(height, 2),
  };
  const { receipts, txs } = requests(world, at);
  return {
    head,
    txs,
    receipts,
    fills: some(world, 5, () => fillOf(world, timeMs)),
    orders: ordersOf(world, timeMs),
    fundings: some(world, 3, () => fundingOf(world, timeMs)),
    ledger: ledgerOf(world, at),
    earnings: earningsOf(world, timeMs),
    claims: some(world, 2, () => ({
      builder: pick(world, BUILDERS),
      amountMicroUsdc: 1 + world.randomBelow(1_000),
      txHash: freshHash(world),
      timeMs,
    })),
    withdrawals: withdrawalsOf(world, at),
    candles: some(world, 2, () => candleOf(world, at)),
    accountValues: valuesOf(world, at),
    markets: height === 1 ? INSTRUMENTS.filter((id) => id >= FIRST_OUTCOME).map(textsOf) : [],
    settledEvents: some(world, 2, () => eventOf(world, timeMs)),
    ...world.figures.of(at),
  };
}

type At = { readonly height: number; readonly timeMs: number };

function requests(world: World, at: At): Pick<BlockRows, 'receipts' | 'txs'> {
  const receipts: ReceiptRow[] = [];
  if (world.randomBelow(2) === 0) receipts.push(...world.queued.splice(0, 1));
  const txs = some(world, 4, (index) => {
    const txHash = freshHash(world);
    const signer = pick(world, USERS);
    const failed = world.randomBelow(4) === 0;
    const receipt: ReceiptRow = {
      txHash,
      signer,
      user: signer,
      nonce: at.timeMs * 10 + index,
      actionType: 'order',
      ...at,
      blockHash: hashOf(at.height, 1),
      index,
      failed,
      body: JSON.stringify({ n: world.nextHash, text: 'a "line"\n☃' }),
    };
    if (world.randomBelow(3) === 0) world.queued.push(receipt);
    else receipts.push(receipt);
    const request = `{\n\t"action": {"type": "order", "n": ${world.nextHash}, "t": "\\u0000\\\\ ☃"}\n}`;
    const error = failed ? 'Order has invalid price' : null;
    return { index, txHash, user: signer, actionType: 'order', error, request };
  });
  return { receipts, txs };
}

function instrumentOf(world: World): { instrumentId: number; accountType: AccountType } {
  const instrumentId = pick(world, INSTRUMENTS);
  return { instrumentId, accountType: instrumentId < FIRST_OUTCOME ? 'perp' : 'outcome' };
}

function fillOf(world: World, timeMs: number): BlockRows['fills'][number] {
  const { accountType, instrumentId } = instrumentOf(world);
  const isOutcome = accountType === 'outcome';
  const kind = isOutcome ? 'outcome' : 'perps';
  const row: Fill = {
    coin: `C${instrumentId}`,
    symbol: `C${instrumentId}-USDC`,
    px: `${world.randomBelow(1_000)}.5`,
    sz: '1',
    side: world.randomBelow(2) === 0 ? 'B' : 'A',
    time: timeMs,
    startPosition: '0',
    dir: 'Buy',
    reduceOnly: false,
    closedPnl: '0',
    hash: freshHash(world),
    oid: world.randomBelow(1_000),
    crossed: [true, false, null][world.randomBelow(3)] ?? null,
    fee: '0.01',
    tid: world.randomBelow(1_000),
    feeToken: 'USDC',
    twapId: null,
    tradeSide: 'Taker',
    marginMode: 'Cross',
    leverage: 1,
    instrumentId,
    instrumentType: kind,
    marketType: kind,
    ...(world.randomBelow(2) === 0 ? { entryPrice: '1', roe: '-2.5' } : {}),
    ...[{}, { cloid: null }, { cloid: '0x12' }][world.randomBelow(3)],
    ...(world.randomBelow(3) === 0 ? { builderFee: '0.001' } : {}),
    ...(isOutcome ? { outcome: 'Yes' as const } : {}),
  };
  return { user: pick(world, USERS), accountType, instrumentId, row };
}

/**
 * Creates new orders and changes existing ones. A block contains at most one version of each order.
 */
function ordersOf(world: World, timeMs: number): OrderRecord[] {
  const changed = new Map<number, OrderRecord>();
  const rejected: OrderRecord[] = [];
  for (let count = world.randomBelow(4); count > 0; count -= 1) {
    const earlier = world.orders[world.randomBelow(world.orders.length + 2)];
    if (earlier !== undefined) {
      // Orders that have ended no longer change.
      if (!isLive(earlier.row)) continue;
      const next =
        world.randomBelow(3) === 0 ? { sz: '0.5' } : ({ sz: '0', status: 'filled' } as const);
      const row = orderRow(world, { ...earlier.row.order, ...next }, timeMs);
      changed.delete(earlier.orderId);
      changed.set(earlier.orderId, { ...earlier, row });
      continue;
    }
    const record = newOrder(world, timeMs);
    if (record.orderId === 0) rejected.push(record);
    else changed.set(record.orderId, record);
  }
  for (const record of changed.values()) {
    const known = world.orders.findIndex(({ orderId }) => orderId === record.orderId);
    if (known === -1) world.orders.push(record);
    else world.orders[known] = record;
  }
  return [...changed.values(), ...rejected].map((record, index) => ({ ...record, index }));
}

function newOrder(world: World, timeMs: number): OrderRecord {
  const { accountType, instrumentId } = instrumentOf(world);
  const isRejected = world.randomBelow(5) === 0;
  const orderId = isRejected ? 0 : world.nextOrderId;
  if (!isRejected) world.nextOrderId += 1;
  const kind = accountType === 'outcome' ? 'outcome' : 'perps';
  const order: HistOrder = {
    coin: `C${instrumentId}`,
    symbol: `C${instrumentId}-USDC`,
    side: 'B',
    limitPx: `${world.randomBelow(100)}`,
    sz: '1',
    origSz: '1',
    oid: orderId,
    timestamp: timeMs,
    triggerCondition: 'N/A',
    // An order with an even id can be a child.
    isTrigger: orderId > 0 && orderId % 2 === 0,
    triggerPx: '0',
    children: [],
    isPositionTpsl: false,
    reduceOnly: false,
    dir: 'Buy',
    orderType: 'Limit',
    tif: 'GTC',
    ...(world.randomBelow(3) === 0 ? { expireTime: timeMs + 1 } : {}),
    cloid: null,
    avgFillPrice: null,
    positionMode: 'OneWay',
    marginMode: 'Cross',
    leverage: 5,
    ...(isRejected ? { rejectReason: 'Price must be positive' } : {}),
    status: isRejected ? 'rejected' : 'open',
    instrumentId,
    instrumentType: kind,
    marketType: kind,
    ...(accountType === 'outcome' ? { outcome: 'No' as const } : {}),
  };
  const user = pick(world, USERS);
  const row = orderRow(world, order, timeMs);
  const child = orderId % 2 === 0 && orderId > 0 ? { isChild: true as const } : {};
  return { user, accountType, instrumentId, orderId, index: 0, ...child, row };
}

function orderRow(world: World, order: HistOrder, timeMs: number): HistOrderRow {
  // An order with an odd id can become the parent of existing orders with even ids, whichever
  // accounts they belong to.
  const others = world.orders.filter(({ orderId }) => orderId % 2 === 0);
  const joins = order.oid % 2 === 1 && others.length > 0 && world.randomBelow(3) === 0;
  const added = joins ? [pick(world, others).row.order] : [];
  const children = [...order.children.slice(0, 1), ...added].map(
    ({ oid }) =>
      present(
        others.find(({ orderId }) => orderId === oid),
        'a child',
      ).row.order,
  );
  return { order: { ...order, children }, status: order.status, statusTimestamp: timeMs };
}

function fundingOf(world: World, timeMs: number): BlockRows['fundings'][number] {
  const instrumentId = pick(world, INSTRUMENTS.slice(0, 2));
  const amountMicroUsdc = world.randomBelow(5) - 2;
  const text = String(amountMicroUsdc);
  const row = {
    time: timeMs,
    coin: `C${instrumentId}`,
    usdc: text,
    szi: '1',
    fundingRate: '0',
    amount: text,
  };
  return { user: pick(world, USERS), instrumentId, amountMicroUsdc, row };
}

function ledgerOf(world: World, { height, timeMs }: At): LedgerRecord[] {
  const records: LedgerRecord[] = [];
  for (let count = world.randomBelow(4); count > 0; count -= 1) {
    const earlier = world.ledger[world.randomBelow(world.ledger.length + 4)];
    if (earlier !== undefined) {
      const delta = { ...earlier.row.delta, amount: `${world.randomBelow(1_000)}` };
      records.push({ ...earlier, row: { ...earlier.row, delta } as LedgerUpdate });
      continue;
    }
    const accountTypes = (
      [
        ['perp'],
        ['outcome'],
        ['perp', 'outcome'],
      ] as const satisfies readonly (readonly AccountType[])[]
    )[world.randomBelow(3)];
    const delta = { type: 'faucet', amount: `${world.randomBelow(1_000)}`, token: 'USDC' } as const;
    const record: LedgerRecord = {
      user: pick(world, USERS),
      accountTypes: present(accountTypes, 'one of three'),
      first: { height, index: records.length },
      row: { time: timeMs, hash: freshHash(world), delta },
    };
    records.push(record);
    world.ledger.push(record);
  }
  return records;
}

function earningsOf(world: World, timeMs: number): EarningRecord[] {
  const changed = new Map<number, EarningRecord>();
  for (let count = world.randomBelow(3); count > 0; count -= 1) {
    const addedFeeMicroUsdc = 1 + world.randomBelow(50);
    const earlier = world.earnings[world.randomBelow(world.earnings.length + 1)];
    if (earlier !== undefined && changed.has(earlier.orderId)) continue;
    const record: EarningRecord = {
      builder: pick(world, BUILDERS),
      user: pick(world, USERS),
      orderId: 10_000 + world.earnings.length,
      instrumentId: pick(world, INSTRUMENTS),
      instrumentName: 'a name',
      accountType: 'perp',
      feeTenthsBp: 10,
      notionalMicroUsdc: 5,
      qty: '1',
      price: '2',
      role: 'Taker',
      ...earlier,
      feeMicroUsdc: (earlier?.feeMicroUsdc ?? 0) + addedFeeMicroUsdc,
      addedFeeMicroUsdc,
      tradeId: world.randomBelow(100),
      txHash: freshHash(world),
      timeMs,
    };
    changed.set(record.orderId, record);
    const known = world.earnings.findIndex(({ orderId }) => orderId === record.orderId);
    if (known === -1) world.earnings.push(record);
    else world.earnings[known] = record;
  }
  return [...changed.values()];
}

function withdrawalsOf(world: World, { timeMs }: At): WithdrawalRecord[] {
  const { withdrawals } = world;
  if (world.randomBelow(3) !== 0) return [];
  const known = world.randomBelow(withdrawals.length + 2);
  const earlier = withdrawals[known];
  const record: WithdrawalRecord =
    earlier === undefined
      ? {
          user: pick(world, USERS),
          withdrawalId: withdrawals.length + 1,
          timeMs,
          updatedMs: timeMs,
          destination: pick(world, USERS),
          amountMicroUsdc: world.randomBelow(1_000),
          feeMicroUsdc: 1,
          status: 'pending',
        }
      : {
          ...earlier,
          updatedMs: timeMs,
          status: 'completed',
          txHash: hash(`0x${'ab'.repeat(32)}`),
        };
  if (earlier === undefined) withdrawals.push(record);
  else withdrawals[known] = record;
  return [record];
}

function candleOf(world: World, { height }: At): BlockRows['candles'][number] {
  const n = world.randomBelow(100);
  return {
    instrumentId: pick(world, INSTRUMENTS),
    stepMs: 60_000,
    startMs: START_MS + height * 60_000,
    open: n,
    high: n + 2,
    low: n - 1,
    close: n + 1,
    lots: 5,
    trades: 2,
  };
}

function valuesOf(world: World, { height, timeMs }: At): AccountValueRecord[] {
  return USERS.filter(() => world.randomBelow(3) === 0).map((user) => ({
    user,
    stepMs: pick(world, STEPS_MS),
    // Each height has a different time, even if the clock does not advance.
    timeMs: timeMs + height,
    value: world.randomBelow(10_000),
    moneyIn: 1,
    moneyOut: 2,
    volume: 3,
    fees: 4,
    funding: -5,
  }));
}

function textsOf(instrumentId: number): BlockRows['markets'][number] {
  return {
    instrumentId,
    slug: `market-${instrumentId}`,
    title: `Will it "rain" on ${instrumentId}? ☔`,
    eventSlug: 'rain',
  };
}

function eventOf(world: World, timeMs: number): SettledEventRecord {
  // Some events are settled a second time, with another market.
  const isAgain = world.events > 0 && world.randomBelow(4) === 0;
  if (!isAgain) world.events += 1;
  const eventId = isAgain ? 1 + world.randomBelow(world.events) : world.events;
  return {
    eventId,
    slug: `event-${eventId}`,
    seriesSlug: eventId % 3 === 0 ? 'hourly' : null,
    createdMs: START_MS + (eventId % 4) * 1_000,
    startMs: START_MS + (eventId % 3) * 1_000,
    endMs: START_MS + (eventId % 5) * 1_000,
    settledMs: timeMs,
    volumeMicroUsdc: eventId % 2 === 0 ? 1_000 : 2_000,
    tags: eventId % 2 === 0 ? ['sports', 'rain'] : [],
    markets: [{ instrumentId: 5_000 + eventId, slug: `m-${eventId}`, startMs: timeMs }],
    body: JSON.stringify({ eventId, settledMs: timeMs }),
  };
}

function some<Item>(world: World, below: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: world.randomBelow(below) }, (_, index) => make(index));
}

function pick<Item>(world: World, items: readonly Item[]): Item {
  return present(items[world.randomBelow(items.length)], 'one of some');
}

function freshHash(world: World): Hash {
  world.nextHash += 1;
  return hashOf(world.nextHash, 3);
}
