import { present } from '@oddlot/units';
import type { OrderPool, OwnList } from '../book/order-pool.ts';
import { LayeredMap } from '../collections/layered-map.ts';
import type { Account, Holding } from '../state/account.ts';
import type { GroupBook } from '../state/group-book.ts';
import type { OutcomeMarket } from '../state/outcome-market.ts';
import type { Perp } from '../state/perp.ts';
import { copyOutcomeHolding } from './fork-outcomes.ts';
import type { ObjectFields } from './object-fields.ts';

/** The parts of a fork that accounts are tied to. */
type Ties = {
  readonly pool: OrderPool;
  readonly perps: ReadonlyMap<number, Perp>;
  readonly markets: ReadonlyMap<number, OutcomeMarket>;
  readonly groups: GroupBook;
};

/**
 * The accounts of a fork: an array in which each account is copied when it is first looked at, so
 * that a fork costs the same whether the venue has ten accounts or a hundred thousand.
 */
export function forkAccounts(accounts: readonly Account[], ties: Ties): Account[] {
  const own = new Map<number, Account>();
  let { length } = accounts;
  const at = (index: number): Account | undefined => {
    const original = accounts[index];
    if (own.has(index) || original === undefined) return own.get(index);
    const copied = copyAccount(original, ties);
    // Before its ties, which may ask for the account again.
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

/** Brings over the account's resting orders, whose lists are walked, and what hangs on positions. */
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
