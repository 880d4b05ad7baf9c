import { present } from '@oddlot/units';
import type { OrderPool, OwnList } from '../book/order-pool.ts';
import { EffectsDigest } from '../collections/effects-digest.ts';
import { DueQueue } from '../collections/heap.ts';
import { LayeredMap } from '../collections/maps.ts';
import { type Account, type Holding, holdingKey } from '../state/account.ts';
import type { Bridge } from '../state/bridge.ts';
import { DayStats, type Perp, PerpWatch } from '../state/perp.ts';
import { BlockRecord } from '../state/block-record.ts';
import type { GroupBook, OrderGroup } from '../state/order-groups.ts';
import { RiskIndex } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import type { OutcomeHolding, OutcomeMarket } from '../state/outcome-market.ts';
import type { Outcomes } from '../state/outcomes.ts';

/**
 * Returns a state on which a signed command can be executed without changing its origin. Parts are
 * copied on first use, so a fork costs only as much as the command needs. The original must not
 * change while the fork is in use, and only the newest fork of a state is valid. A fork executes
 * commands but not blocks. Data that only a block reads starts empty: the expiry times of resting
 * orders, and the margin accounts to check for liquidation. Commands add to both and read neither.
 * Data that signed commands only read is shared: vaults and gates change through operator commands,
 * liquidations and the fund's unwinding through steps of the block. Triggers and schedules have
 * their own `fork`.
 */
export function forkState(state: State): State {
  const pool = state.pool.fork();
  const perps = new LayeredMap(state.perps, (perp) => forkPerp(perp, pool));
  const outcomes = forkOutcomes(state.outcomes, pool);
  const groups = state.groups.fork(holdingIn);
  const ties = { pool, perps, markets: outcomes.markets, groups };
  const accounts = forkAccounts(state.accounts, ties);
  function holdingIn({ accountIndex, holding }: OrderGroup): Holding {
    const { leg, perp } = holding;
    const account = present(accounts[accountIndex], 'the account of a group');
    const key = holdingKey(perp.definition.instrumentId, leg);
    return present(account.holdings.get(key), 'the holding of a group');
  }
  const parts: ObjectFields<State> = {
    parameters: state.parameters,
    perps,
    perpIds: [...state.perpIds],
    accounts,
    accountIndex: new LayeredMap(state.accountIndex),
    agents: new LayeredMap(state.agents),
    signers: new LayeredMap(state.signers, (nonces) => ({ ...nonces, used: [...nonces.used] })),
    pool,
    expiries: new DueQueue(),
    reserves: new LayeredMap(state.reserves),
    triggers: state.triggers.fork(),
    groups,
    schedules: state.schedules.fork(),
    reverseJobs: new LayeredMap(state.reverseJobs, (job) => ({ ...job })),
    builderRewards: new LayeredMap(state.builderRewards, (rewards) => ({ ...rewards })),
    orderBuilders: new LayeredMap(state.orderBuilders, (builder) => ({ ...builder })),
    vaults: state.vaults,
    gates: state.gates,
    withdrawals: new LayeredMap(state.withdrawals),
    bridge: state.bridge === undefined ? undefined : forkBridge(state.bridge),
    terms: state.terms,
    outcomes,
    liquidations: state.liquidations,
    fundUnwindBands: state.fundUnwindBands,
    fundCosts: state.fundCosts,
    watch: new PerpWatch(),
    blockRecord: new BlockRecord(),
    risk: new RiskIndex(),
    observer: undefined,
    digest: new EffectsDigest(state.digest.lanes()),
  };
  return { ...state, ...parts };
}

/**
 * Copies the bindings and relay withdrawal addresses, which signed commands can change; credited
 * deposits are shared.
 */
function forkBridge(bridge: Bridge): Bridge {
  const parts: ObjectFields<Bridge> = {
    credited: bridge.credited,
    kept: bridge.kept,
    floors: bridge.floors,
    cursor: bridge.cursor,
    unusedAgents: new LayeredMap(bridge.unusedAgents),
    pegs: new LayeredMap(bridge.pegs),
    reserves: bridge.reserves,
  };
  return { ...bridge, ...parts };
}

function forkPerp(perp: Perp, pool: OrderPool): Perp {
  const day = new DayStats();
  const { buckets, previousClose } = perp.day.dump();
  day.restore(buckets, previousClose);
  const parts: ObjectFields<Perp> = {
    definition: perp.definition,
    tiers: perp.tiers,
    book: perp.book.fork(pool),
    day,
    funding: { ...perp.funding },
    holders: new LayeredMap(perp.holders),
    closing: perp.closing === undefined ? undefined : { ...perp.closing },
  };
  return { ...perp, ...parts };
}

type Ties = {
  readonly pool: OrderPool;
  readonly perps: ReadonlyMap<number, Perp>;
  readonly markets: ReadonlyMap<number, OutcomeMarket>;
  readonly groups: GroupBook;
};

/**
 * Returns the accounts of a fork, as an array that copies each account when it is first read. The
 * cost of a fork therefore does not depend on the number of accounts.
 */
function forkAccounts(accounts: readonly Account[], ties: Ties): Account[] {
  const own = new Map<number, Account>();
  let { length } = accounts;
  const at = (index: number): Account | undefined => {
    const original = accounts[index];
    if (own.has(index) || original === undefined) return own.get(index);
    const copied = copyAccount(original, ties);
    // The copy is stored before its references are created, because they may read the account
    // again.
    own.set(index, copied);
    tie(original, copied, ties);
    return copied;
  };
  return new Proxy<Account[]>([], {
    get: (target, key) => {
      const index = indexOf(key);
      if (index !== undefined) return at(index);
      return key === 'length' ? length : Reflect.get(target, key);
    },
    has: (target, key) => (indexOf(key) ?? length) < length || Reflect.has(target, key),
    set: (_target, key, value) => {
      const index = indexOf(key);
      if (index === undefined) return key === 'length' && value === length;
      own.set(index, value as Account);
      length = Math.max(length, index + 1);
      return true;
    },
  });
}

function indexOf(key: string | symbol): number | undefined {
  return typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : undefined;
}

function copyAccount(account: Account, { markets, perps }: Ties): Account {
  const parts: ObjectFields<Account> = {
    agents: new Map(account.agents),
    builders: new Map(account.builders),
    multiSig: account.multiSig,
    settings: mapValues(account.settings, (settings) => ({
      ...settings,
      isolatedLeverage: [...settings.isolatedLeverage],
    })),
    holdings: mapValues(account.holdings, (holding) => copyHolding(holding, perps)),
    outcomes: mapValues(account.outcomes, (holding) => copyOutcomeHolding(holding, markets)),
    clientOrders: new LayeredMap(account.clientOrders),
    orderLists: new Set(),
    volume: { ...account.volume, days: account.volume.days.map((day) => ({ ...day })) },
    margin: { ...account.margin },
  };
  return { ...account, ...parts };
}

function copyHolding(holding: Holding, perps: ReadonlyMap<number, Perp>): Holding {
  const parts: ObjectFields<Holding> = {
    perp: present(perps.get(holding.perp.definition.instrumentId), 'the perp of a holding'),
    orders: { ...holding.orders },
    funding: { ...holding.funding },
  };
  return { ...holding, ...parts };
}

/**
 * Copies the account's resting orders, because the command may iterate over their lists, and the
 * groups of its positions.
 */
function tie(original: Account, copied: Account, { groups, pool }: Ties): void {
  for (const [key, holding] of original.holdings) {
    const own = present(copied.holdings.get(key), 'a copied holding');
    needList(own);
    groups.adopt(holding, own);
  }
  for (const holding of copied.outcomes.values()) needList(holding);
  function needList({ orders }: { readonly orders: OwnList }): void {
    pool.needList(orders);
    if (orders.count > 0) copied.orderLists.add(orders);
  }
}

function mapValues<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  change: (value: Value) => Value,
): Map<Key, Value> {
  const changed = new Map<Key, Value>();
  for (const [key, value] of map) changed.set(key, change(value));
  return changed;
}

/**
 * Returns the outcome markets of a fork. Signed commands trade on markets and queue orders. Data
 * that only deployers or the passing of time can change is shared.
 */
function forkOutcomes(outcomes: Outcomes, pool: OrderPool): Outcomes {
  const parts: ObjectFields<Outcomes> = {
    events: outcomes.events,
    eventIds: outcomes.eventIds,
    markets: new LayeredMap(outcomes.markets, (market) => forkMarket(market, pool)),
    marketIds: outcomes.marketIds,
    settled: outcomes.settled,
    marketSlugs: outcomes.marketSlugs,
    past: outcomes.past,
    pastClock: outcomes.pastClock,
    series: outcomes.series,
    prices: outcomes.prices,
    queue: outcomes.queue.fork(),
    orderTx: new LayeredMap(outcomes.orderTx),
    phaseClock: outcomes.phaseClock,
    seriesClock: outcomes.seriesClock,
    settling: outcomes.settling,
  };
  return { ...outcomes, ...parts };
}

function forkMarket(market: OutcomeMarket, pool: OrderPool): OutcomeMarket {
  const parts: ObjectFields<OutcomeMarket> = {
    definition: market.definition,
    book: market.book.fork(pool),
    strike: market.strike,
    resolution: market.resolution,
    holders: new LayeredMap(market.holders),
    unpaid: market.unpaid,
  };
  return { ...market, ...parts };
}

function copyOutcomeHolding(
  { market, no, orders, yes }: OutcomeHolding,
  markets: ReadonlyMap<number, OutcomeMarket>,
): OutcomeHolding {
  return {
    market: present(markets.get(market.definition.instrumentId), 'the market of a holding'),
    yes: { ...yes },
    no: { ...no },
    orders: { ...orders },
  };
}

/**
 * The fields of a type that are not just a number, an amount, a string or a flag. The copying code
 * spreads a value and lists these fields, so that it does not compile if a new field would be
 * shared by mistake.
 */
type ObjectFields<T> = {
  [Key in keyof T as T[Key] extends Plain ? never : Key]: T[Key];
};

type Plain = number | bigint | string | boolean | undefined;
