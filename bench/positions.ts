import {
  applyBlock,
  createState,
  type Authority,
  type Command,
  type OrderRequest,
  type PerpListing,
  type State,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  median,
  medianRatio,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Whether an order costs more where there is more around it: positions of the account that sends it,
 * and accounts with positions. Rounds of the sizes alternate, and their ratio is taken round by round.
 */

const TARGET = 1.5;
const START_MS = 1_767_225_600_000;
const ORACLE = 1_000_000;
const LOTS = 30;
const MAKER = someone(1);
const HOT = someone(2);
const ORDERS_PER_BLOCK = 100;

export async function positionsSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: 40_000, quick: 10_000, tiny: 200 });
  const rounds = sized(scale, { full: 7, quick: 4, tiny: 2 });
  const perps = sized(scale, { full: 1_000, quick: 1_000, tiny: 8 });
  const many = sized(scale, { full: 100_000, quick: 100_000, tiny: 40 });
  const held = [perps / 100, perps / 10, perps].map((count) => Math.max(1, Math.floor(count)));
  const byPositions = held.map((count) => {
    const venue = new Crowd(perps);
    venue.open(HOT, count);
    return { count, venue, senders: [HOT] };
  });
  const byAccounts = [Math.max(1, Math.floor(many / 100)), many].map((count) => {
    const venue = new Crowd(1);
    return { count, venue, senders: venue.crowd(count, () => 100_000) };
  });
  return [
    compare(
      'cost of an order, by number of open positions in its account',
      byPositions,
      orders,
      rounds,
    ),
    compare('cost of an order, by number of accounts with a position', byAccounts, orders, rounds),
  ];
}

type Case = {
  readonly count: number;
  readonly venue: Crowd;
  readonly senders: readonly Address[];
};

/** The largest case over the smallest. */
function compare(what: string, cases: readonly Case[], orders: number, rounds: number): Row {
  const spent = cases.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { senders, venue }] of cases.entries()) {
      const ms = venue.trade(senders, orders);
      if (round > 0) spent[at]?.push(ms);
    }
  }
  const words = cases.map(({ count }, at) => {
    const microseconds = (median(spent[at] ?? []) * 1_000) / orders;
    return `${show(microseconds)} µs with ${show(count)}`;
  });
  const ratio = medianRatio(spent.at(-1) ?? [], spent[0] ?? []);
  return atMost(what, words.join(', '), ratio, TARGET);
}

/** A venue with some perps, a maker that offers in all of them, and whoever takes. */
export class Crowd {
  readonly state: State = createState();
  readonly #perps: number;
  #nowMs = START_MS;
  /** Above the time of the first block (R-nonce). */
  #nonce = START_MS + 1_000;
  #turn = 0;
  #bids = 0;

  constructor(perps: number) {
    this.#perps = perps;
    const listings = Array.from({ length: perps }, (_, at): Command => {
      return { type: 'registerPerp', perp: listing(at + 1) };
    });
    this.#block([
      { type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') },
      ...listings,
    ]);
    this.price(ORACLE);
    this.#block([credit(MAKER, 900_000_000), credit(HOT, 1_000_000_000)]);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Moves all prices; returns the CPU time of the block that carries them. */
  price(oracle: number): number {
    this.#nowMs += 1_000;
    const prices = Array.from({ length: this.#perps }, (_, at) => ({
      instrumentId: instrumentId(at + 1),
      oracle,
      external: oracle,
    }));
    return this.#block([{ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs) }]);
  }

  /** Opens a position in so many perps. */
  open(signer: Address, positions: number): void {
    for (let id = 1; id <= positions; id++) {
      this.#block([
        this.#place(MAKER, [order({ id, isBuy: false, price: ORACLE })]),
        this.#place(signer, [order({ id, isBuy: true, price: ORACLE })]),
      ]);
    }
  }

  /** New accounts with a position of 30 USDC each, and so much money. */
  crowd(count: number, usdcOf: (at: number) => number): Address[] {
    const accounts = Array.from({ length: count }, (_, at) => someone(0x10_0000 + at));
    for (let from = 0; from < count; from += 500) {
      const some = accounts.slice(from, from + 500);
      this.#block(some.map((account, at) => credit(account, usdcOf(at))));
      const offer = order({ id: 1, isBuy: false, price: ORACLE, size: LOTS * some.length });
      this.#block([
        this.#place(MAKER, [offer]),
        ...some.map((account) =>
          this.#place(account, [order({ id: 1, isBuy: true, price: ORACLE })]),
        ),
      ]);
    }
    return accounts;
  }

  /**
   * Senders in turn bid below the market and take the bid away again; a tenth of the orders buys
   * from the maker, and as much is sold back. Returns CPU time.
   */
  trade(senders: readonly Address[], orders: number): number {
    const blocks: Command[][] = [];
    for (let sent = 0; sent < orders; sent += ORDERS_PER_BLOCK) {
      const commands: Command[] = [];
      for (let at = 0; at < ORDERS_PER_BLOCK; at++) {
        const sender = senders[this.#turn++ % senders.length] ?? HOT;
        commands.push(...this.#turnOf(sender, at));
      }
      blocks.push(commands);
    }
    collectGarbage();
    return cpuMs(() => {
      for (const commands of blocks) {
        this.#nowMs += 5;
        this.#apply(commands);
      }
    });
  }

  #turnOf(sender: Address, at: number): Command[] {
    const isBuy = at % 20 < 10;
    if (at % 10 !== 0) {
      const clientOrderId = `0x${(++this.#bids).toString(16).padStart(32, '0')}`;
      const bid = order({ id: 1, isBuy: true, price: ORACLE - 1_000 - at, clientOrderId });
      const cancels = [{ instrumentId: bid.instrumentId, clientOrderId }];
      const authority = this.#authority(sender);
      return [this.#place(sender, [bid]), { type: 'cancelByClientId', authority, cancels }];
    }
    return [
      this.#place(MAKER, [order({ id: 1, isBuy: !isBuy, price: ORACLE })]),
      this.#place(sender, [order({ id: 1, isBuy, price: ORACLE, timeInForce: 'ioc' })]),
    ];
  }

  #place(signer: Address, orders: readonly OrderRequest[]): Command {
    return { type: 'placeOrders', authority: this.#authority(signer), orders };
  }

  #authority(signer: Address): Authority {
    const nonce = this.#nonce++;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  #block(commands: readonly Command[]): number {
    this.#nowMs += 1;
    return cpuMs(() => this.#apply(commands));
  }

  #apply(commands: readonly Command[]): void {
    const { state } = this;
    const block = { height: state.height + 1, timeMs: timeMs(this.#nowMs), commands };
    const { outcomes } = applyBlock(state, block);
    for (const { entries, reject } of outcomes) {
      const why = reject ?? entries?.find((entry) => entry.reject !== undefined)?.reject;
      if (why !== undefined) throw new Error(`refused: ${why.reason}`);
    }
  }
}

function order(
  shape: Pick<OrderRequest, 'isBuy' | 'price'> & Partial<OrderRequest> & { readonly id: number },
): OrderRequest {
  const { id, ...rest } = shape;
  const plain = { size: LOTS, reduceOnly: false, timeInForce: 'gtc' } as const;
  return { instrumentId: instrumentId(id), ...plain, ...rest };
}

function credit(account: Address, usdc: number): Command {
  return {
    type: 'creditFaucet',
    account,
    subAccount: 'perp',
    amountMicroUsdc: usdc * 1_000_000,
  };
}

function someone(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

/** A perp of 20×. */
export function listing(id: number): PerpListing {
  return {
    instrumentId: instrumentId(id),
    name: `P${id}-USDC`,
    baseCurrency: `P${id}`,
    quoteCurrency: 'USDC',
    szDecimals: 2,
    priceTick: 1,
    bookTicks: [1],
    maxLimitOrderSize: 1_000_000_000,
    maxMarketOrderSize: 1_000_000_000,
    takerFeeE8: 45_000,
    makerFeeE8: 15_000,
    onlyIsolated: false,
    impactNotionalMicroUsdc: 6_000_000_000,
    tiers: [{ tier: 1, minSize: 0, maxSize: 1_000_000_000, maxLeverage: 20, mmrE8: 1_000_000 }],
    tagIds: [],
  };
}
