import type { Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import type { Market } from '../support/market.ts';
import type { SeededRandom } from '../support/seeded.ts';
import { Line, type Followed } from './line.ts';
import { BookView, LastView, ListView, LiveOrdersView, OrdersView, type View } from './views.ts';

/** Each account and each market has several subscriptions. */

const BOTH = ['perp', 'outcome'];
const HISTORY_ROWS = 200;

type Wish = { readonly path: string; readonly type: string; readonly params: object };

const historyList = (name: string): View =>
  new ListView({ rowsOf: (data) => data[name], snapshotMax: HISTORY_ROWS, isFromHistory: true });
const events = (snapshotMax: number): View =>
  new ListView({ rowsOf: (data: Json) => data, snapshotMax, isFromHistory: false });

const VIEWS: Readonly<Record<string, () => View>> = {
  userFills: () => historyList('fills'),
  userNonFundingLedgerUpdates: () => historyList('nonFundingLedgerUpdates'),
  userHistoricalOrders: () => new OrdersView(),
  orderUpdates: () => new LiveOrdersView(),
  l2Diff: () => new BookView(),
  l2Book: () => new LastView(),
  trades: () => events(50),
  explorerBlock: () => events(20),
  explorerTxs: () => events(20),
};

/**
 * Returns connections that share this many subscriptions, a few per connection, in random order.
 */
export function makeLines(options: {
  count: number;
  perLine: number;
  actors: readonly Actor[];
  markets: readonly Market[];
  random: SeededRandom;
  urlOf: () => string;
}): Line[] {
  const { random, count, perLine, urlOf } = options;
  const wishes = wishesOf(options);
  const byPath = new Map<string, Wish[]>();
  for (let index = 0; index < count; index++) {
    const wish = wishes[index % wishes.length]!;
    byPath.set(wish.path, [...(byPath.get(wish.path) ?? []), wish]);
  }
  return [...byPath].flatMap(([path, all]) => {
    const lines: Wish[][] = Array.from({ length: Math.ceil(all.length / perLine) }, () => []);
    for (const wish of shuffled(all, random)) {
      // A connection may not have duplicate subscriptions.
      const text = JSON.stringify(wish);
      const fits = (line: Wish[]) =>
        line.length < perLine && !line.some((each) => JSON.stringify(each) === text);
      const line = lines.find(fits) ?? lines[lines.push([]) - 1];
      line?.push(wish);
    }
    return lines.map((line) => new Line({ path, urlOf, followed: line.map(followedOf) }));
  });
}

function wishesOf({ actors, markets }: { actors: readonly Actor[]; markets: readonly Market[] }) {
  const ofUsers = actors.flatMap(({ address: user }): Wish[] => [
    { path: '/api-ws', type: 'userFills', params: { user, accountType: BOTH } },
    { path: '/api-ws', type: 'userHistoricalOrders', params: { user, accountType: BOTH } },
    { path: '/api-ws', type: 'userNonFundingLedgerUpdates', params: { user } },
    { path: '/ws', type: 'orderUpdates', params: { user } },
  ]);
  const ofMarkets = markets.flatMap(({ coin }): Wish[] => [
    { path: '/ws', type: 'l2Diff', params: { coin } },
    { path: '/ws', type: 'l2Book', params: { coin } },
    { path: '/ws', type: 'trades', params: { coin } },
  ]);
  const ofAll = ['explorerBlock', 'explorerTxs'].map((type) => ({ path: '/ws', type, params: {} }));
  return [...ofUsers, ...ofMarkets, ...ofAll];
}

function followedOf({ params, type }: Wish): Pick<Followed, 'subscription' | 'view'> {
  return { subscription: { type, ...params }, view: VIEWS[type]!() };
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0]!);
}
