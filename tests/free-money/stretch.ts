import type { Command, OrderRequest } from '@oddlot/engine';
import { type Address, instrumentId } from '@oddlot/units';
import { seededRandom, type SeededRandom } from '../support/seeded.ts';
import type { Act, Quotes, Routine, Stretch } from './history.ts';
import type { Market, Funds } from './state-copy.ts';
import { order, type Venue } from './venue.ts';

/** Runs a stretch of the open world, one sampling interval at a time. */

export type Players = {
  readonly venue: Venue;
  readonly makers: readonly { readonly address: Address; readonly quotes: Quotes }[];
  readonly who: (at: number) => Address;
  readonly id: (at: number) => number;
  readonly lots: (funds: Funds, id: number, share: number) => number;
  readonly command: (act: Act) => Command | undefined;
};

/** R-funding: premiums are sampled at multiples of this interval. */
const SAMPLE_MS = 5_000;
/** The delay of single actions after the latest sample, in milliseconds. */
const ACT_MS = 2_200;
const RESTING_MS = 1_700;
/**
 * The delay of the makers' quotes after each full second, in milliseconds. Each maker quotes
 * slightly later than the previous one.
 */
const MAKER_MS = 300;
const PRICE_MIN = 20_000;
const PRICE_MAX = 50_000_000;
const TICK = 100;

type Due = { readonly atMs: number; readonly isPush: boolean; readonly commands: () => Command[] };

export function playStretch(players: Players, stretch: Stretch): void {
  const { venue } = players;
  const walk = seededRandom(stretch.walk.seed);
  const firstMs = venue.nowMs - (venue.nowMs % SAMPLE_MS);
  for (let interval = 0; interval * SAMPLE_MS < stretch.seconds * 1_000; interval++) {
    const startMs = firstMs + interval * SAMPLE_MS;
    for (const [atMs, dues] of entriesOf(players, stretch, interval, startMs)) {
      venue.wait(atMs - venue.nowMs);
      const commands = dues.flatMap(({ commands: make }) => make());
      if (dues.some(({ isPush }) => isPush)) venue.prices(moved(venue, stretch, walk), ...commands);
      else if (commands.length > 0) venue.apply(commands);
    }
  }
}

/** Returns an interval's due commands by time. Commands with the same time share an entry. */
function entriesOf(
  players: Players,
  stretch: Stretch,
  interval: number,
  startMs: number,
): ReadonlyMap<number, readonly Due[]> {
  const { venue } = players;
  const endMs = startMs + SAMPLE_MS;
  const dues: Due[] = [];
  const due = (atMs: number, commands: () => Command[], isPush = false): void => {
    // Time never goes back, so commands that were due before the stretch are skipped.
    if (atMs > venue.nowMs && atMs <= endMs) dues.push({ atMs, isPush, commands });
  };
  for (let atMs = startMs + stretch.pushMs; atMs <= endMs; atMs += stretch.pushMs) {
    due(atMs, () => [], true);
  }
  for (const [nth, { address, quotes }] of players.makers.entries()) {
    const firstMs = startMs - (startMs % quotes.everyMs) + MAKER_MS + 20 * nth;
    for (let atMs = firstMs; atMs <= endMs; atMs += quotes.everyMs) {
      if (atMs > startMs) due(atMs, () => requote(venue, address, quotes, players.id(0)));
    }
  }
  for (const [nth, routine] of stretch.routines.entries()) {
    if (interval % routine.every !== 0) continue;
    const isResting = routine.kind === 'rest' || routine.kind === 'follow';
    const atMs = isResting ? startMs + RESTING_MS + nth : endMs - routine.leadMs;
    due(atMs, () => attack(players, routine, nth));
    if (routine.kind === 'flash' || routine.kind === 'amend') {
      due(endMs, () => withdrawn(players, routine, nth));
    }
  }
  for (const { act, at } of stretch.acts) {
    if (at !== interval) continue;
    due(startMs + ACT_MS, () => {
      const command = players.command(act);
      return command === undefined ? [] : [command];
    });
  }
  const byTime = dues.toSorted((a, b) => a.atMs - b.atMs);
  return Map.groupBy(byTime, ({ atMs }) => atMs);
}

function moved(venue: Venue, { walk }: Stretch, random: SeededRandom): Record<number, number> {
  const changes: Record<number, number> = {};
  for (const id of venue.shot.markets.keys()) {
    const oracle = venue.oracleOf(id);
    const isGap = walk.gapEvery > 0 && random.below(walk.gapEvery) === 0;
    const step = isGap
      ? (1 + random.below(8)) * 1_000 * random.pick([-1, 1])
      : random.below(2 * walk.step + 1) - walk.step;
    const price = Math.round((oracle * (100_000 + step)) / 100_000);
    if (price !== oracle) changes[id] = Math.min(PRICE_MAX, Math.max(PRICE_MIN, price));
  }
  return changes;
}

/**
 * Returns an honest maker's new quotes. Makers use the fair price even while the oracle price is
 * stale. A closing market is valued at its mark (R-delist), and there makers only reduce.
 */
function requote(venue: Venue, address: Address, quotes: Quotes, id: number): Command[] {
  const funds = venue.shot.fundsByAccount.get(address);
  const market = venue.shot.markets.get(id);
  if (funds === undefined || market === undefined || market.isHalted) return [];
  const size = funds.held.find((held) => held.id === id)?.size ?? 0;
  const { half, inventory, levels, lots, timeInForce } = quotes;
  const reduceOnly = market.isClosing;
  const fair = market.isClosing ? market.mark : venue.oracleOf(id);
  const orders: OrderRequest[] = [];
  let [buys, sells] = reduceOnly
    ? [Math.max(0, -size), Math.max(0, size)]
    : [inventory - size, inventory + size];
  for (let level = 1; level <= levels; level++) {
    const away = (fair * half * level) / 10_000;
    const terms = { id, reduceOnly, timeInForce };
    const [bid, ask] = [Math.min(lots, buys), Math.min(lots, sells)];
    if (bid > 0) {
      orders.push(order({ ...terms, isBuy: true, size: bid, price: onTick(fair - away, -1) }));
    }
    if (ask > 0) {
      orders.push(order({ ...terms, isBuy: false, size: ask, price: onTick(fair + away, 1) }));
    }
    buys -= bid;
    sells -= ask;
  }
  const cancels = venue.sign(address, { type: 'cancelAll' });
  if (orders.length === 0) return [cancels];
  return [cancels, venue.sign(address, { type: 'placeOrders', orders })];
}

function onTick(price: number, direction: 1 | -1): number {
  const ticks = direction > 0 ? Math.ceil(price / TICK) : Math.floor(price / TICK);
  return Math.max(TICK, ticks * TICK);
}

function attack(players: Players, routine: Routine, nth: number): Command[] {
  const { venue } = players;
  const address = players.who(routine.who);
  const funds = venue.shot.fundsByAccount.get(address);
  const market = venue.shot.markets.get(players.id(routine.perp));
  if (funds === undefined || market === undefined || market.mark === 0) return [];
  const clientOrderId = nameOf(routine, nth);
  const price = priceOf(venue, market, routine.away);
  const target = { clientOrderId };
  const perp = { instrumentId: instrumentId(market.id) };
  const cancel = venue.sign(address, {
    type: 'cancelByClientId',
    cancels: [{ ...perp, ...target }],
  });
  const size = sizeOf(players, funds, market, routine);
  const request = { ...orderOf(market, routine), price, size, clientOrderId };
  const place = (orders: OrderRequest): Command =>
    venue.sign(address, { type: 'placeOrders', orders: [orders] });
  switch (routine.kind) {
    case 'sweep':
      return [place({ ...request, timeInForce: 'ioc' })];
    case 'follow':
      return [cancel, place(request)];
    case 'amend':
      return [venue.sign(address, { type: 'modifyOrder', ...perp, target, price, size })];
    default:
      // The engine rejects a second order with this client order id while the first one rests.
      return [place(request)];
  }
}

/** Returns the second half of a routine, in the entry of the sample. */
function withdrawn(players: Players, routine: Routine, nth: number): Command[] {
  const { venue } = players;
  const address = players.who(routine.who);
  const funds = venue.shot.fundsByAccount.get(address);
  const market = venue.shot.markets.get(players.id(routine.perp));
  if (funds === undefined || market === undefined || market.mark === 0) return [];
  const clientOrderId = nameOf(routine, nth);
  const target = { clientOrderId };
  const perp = { instrumentId: instrumentId(market.id) };
  if (routine.kind === 'flash') {
    return [venue.sign(address, { type: 'cancelByClientId', cancels: [{ ...perp, ...target }] })];
  }
  // Moves the order back to a price at which it has no effect. The first time, it is placed there.
  const price = priceOf(venue, market, routine.isBuy ? -790 : 790);
  const size = sizeOf(players, funds, market, routine);
  const request = { ...orderOf(market, routine), price, size, clientOrderId };
  return [
    venue.sign(address, { type: 'modifyOrder', ...perp, target, price, size }),
    venue.sign(address, { type: 'placeOrders', orders: [request] }),
  ];
}

function orderOf({ id }: Market, { isBuy, reduceOnly, timeInForce }: Routine): OrderRequest {
  return order({ id, isBuy, reduceOnly, timeInForce, price: TICK, size: 1 });
}

function sizeOf(
  players: Players,
  funds: Funds,
  { id }: Market,
  { isBuy, reduceOnly, share }: Routine,
): number {
  if (!reduceOnly) return players.lots(funds, id, share);
  const held = funds.held.find((each) => each.id === id && isBuy === each.size < 0);
  return Math.max(1, Math.floor((Math.abs(held?.size ?? 0) * share) / 100));
}

/** Returns a price within the price band around the oracle price. */
function priceOf(venue: Venue, { id, oracle }: Market, away: number): number {
  const fair = oracle > 0 ? oracle : venue.oracleOf(id);
  return Math.max(TICK, Math.round((fair * (1_000 + away)) / 1_000 / TICK) * TICK);
}

/** Returns the 16-byte client order id of a routine's order. */
function nameOf({ who }: Routine, nth: number): string {
  return `0x${(0xa0_00 + 16 * who + nth).toString(16).padStart(32, '0')}`;
}
