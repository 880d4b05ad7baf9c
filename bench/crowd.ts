import {
  applyBlock,
  type Authority,
  type Command,
  createState,
  type OrderRequest,
  type PerpListing,
  type State,
} from '@oddlot/engine';
import { address, type Address, hash, instrumentId, timeMs } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  median,
  type Row,
  same,
  type Scale,
  settleHeap,
  show,
  sized,
} from './report.ts';

/** Measures the cost of a mark update on an engine with many accounts and open positions. */

const START_MS = 1_767_225_600_000;
const ORACLE = 1_000_000;
const LOTS = 30;
const MAKER = testAddress(1);
const HOT = testAddress(2);
const ORDERS_PER_BLOCK = 100;

/** An engine with perps, takers, and a maker that quotes in every perp. */
export class Crowd {
  readonly state: State = createState();
  readonly #perps: number;
  #nowMs = START_MS;
  /** Nonces must be later than the first block (R-nonce). */
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

  /** Moves all prices and returns the CPU time of the block that contains the price update. */
  price(oracle: number): number {
    this.#nowMs += 1_000;
    const prices = Array.from({ length: this.#perps }, (_, at) => ({
      instrumentId: instrumentId(at + 1),
      oracle,
      external: oracle,
    }));
    return this.#block([{ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs) }]);
  }

  open(signer: Address, positions: number): void {
    for (let id = 1; id <= positions; id++) {
      this.#block([
        this.#place(MAKER, [order({ id, isBuy: false, price: ORACLE })]),
        this.#place(signer, [order({ id, isBuy: true, price: ORACLE })]),
      ]);
    }
  }

  /** Creates accounts with the given balances, each with a position worth 30 USDC. */
  crowd(count: number, usdcOf: (at: number) => number): Address[] {
    const accounts = Array.from({ length: count }, (_, at) => testAddress(0x10_0000 + at));
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
   * The senders take turns placing and cancelling bids below the market. A tenth of the orders buy
   * from the maker, and the same amount is sold back. Returns the CPU time in ms.
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

function testAddress(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

/** Returns the listing of a perp with leverage of up to 20×. */
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

export type Crowding = {
  readonly accounts: number;
  readonly instruments: number;
  readonly orders: number;
};

/**
 * The id of the first perp listed in addition to those that every venue has. Further perps have the
 * ids that follow.
 */
export const FIRST_PERP = 3;

/** The limit for a mark update with many open positions, none of which is at risk. */

const MARK_MS_MAX = 15;

export async function marksSection(scale: Scale): Promise<readonly Row[]> {
  const positions = sized(scale, { full: 100_000, quick: 100_000, tiny: 50 });
  const updates = sized(scale, { full: 200, quick: 60, tiny: 3 });
  const venue = new Crowd(1);
  // These balances give leverages between 0.5 and 4.
  venue.crowd(positions, (at) => 8 + ((7 * at) % 60));
  // The first mark update checks every new position once and is not measured.
  venue.price(ORACLE);
  await settleHeap();
  const spent: number[] = [];
  for (let update = 1; update <= updates; update++) {
    // The price moves up and down by 0.2%, so that every update changes the mark.
    spent.push(venue.price(ORACLE + (update % 2 === 0 ? 0 : 2_000)));
  }
  same('scopes under liquidation', venue.state.liquidations.size, 0);
  const worst = Math.max(...spent);
  const words = `${show(median(spent))} ms in the median of ${updates}, ${show(positions)} positions`;
  return [atMost('a mark without liquidations, the slowest', words, worst, MARK_MS_MAX, ' ms')];
}
