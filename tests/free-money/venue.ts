import {
  applyBlock,
  type BlockResult,
  type Command,
  type CommandResult,
  createState,
  type OrderRequest,
  type PerpDefinition,
  type State,
} from '@oddlot/engine';
import { type Address, address, hash, instrumentId, timeMs } from '@oddlot/units';
import { defaultParameters } from '../../packages/replica/src/genesis-commands.ts';
import { hasValidMark, shotOf, type StateCopy } from './state-copy.ts';

/**
 * The venue under test consists of the engine alone and is controlled through commands. It keeps
 * copies of accounts and markets from before and after each entry, and every instrument's last
 * valid mark.
 */

export const START_MS = 1_767_225_600_000;
const USDC = 1_000_000;

export type Unsigned<T = Command> = T extends { readonly authority: unknown }
  ? Omit<T, 'authority'>
  : never;

/** One entry of the log, as the judges see it. */
export type Entry = {
  readonly commands: readonly Command[];
  readonly result: BlockResult;
  readonly before: StateCopy;
  readonly after: StateCopy;
  /**
   * R-order-of-events: each instrument's mark in the latest earlier entry in which that mark was
   * valid.
   */
  readonly judged: ReadonlyMap<number, number>;
};

/**
 * A price of 100 is 1,000,000 price units, and a lot is 0.01 units, so that one lot costs one USDC.
 */
export function listing(id: number, changes: Partial<PerpDefinition> = {}): PerpDefinition {
  return {
    instrumentId: instrumentId(id),
    name: `P${id}-USDC`,
    baseCurrency: `P${id}`,
    quoteCurrency: 'USDC',
    szDecimals: 2,
    priceTick: 100,
    bookTicks: [100],
    maxLimitOrderSize: 100_000_000,
    maxMarketOrderSize: 10_000_000,
    takerFeeE8: 45_000,
    makerFeeE8: 15_000,
    onlyIsolated: false,
    impactNotionalMicroUsdc: 6_000_000_000,
    tiers: [{ tier: 1, minSize: 0, maxSize: 100_000_000, maxLeverage: 50, mmrE8: 1_000_000 }],
    asset: {
      assetId: 100 + id,
      weiDecimals: 6,
      maxSupply: '0',
      initialWei: '0',
      archorTokenWei: '0',
    },
    tagIds: [],
    ...changes,
  };
}

export function testAddress(n: number): Address {
  return address(`0x${n.toString(16).padStart(40, '0')}`);
}

export class Venue {
  readonly state: State = createState();
  readonly fund: Address;
  #watch: (entry: Entry) => void = () => {};
  readonly #judged = new Map<number, number>();
  readonly #oracles = new Map<number, number>();
  readonly #hushed = new Set<number>();
  #nowMs = START_MS;
  #nonce = START_MS;
  #shot: StateCopy;

  constructor(perps: readonly PerpDefinition[]) {
    const parameters = defaultParameters('Oddlot-Testnet');
    this.fund = parameters.insuranceFundAddress;
    this.#shot = shotOf(this.state);
    this.apply([
      { type: 'genesis', parameters },
      ...perps.map((perp): Command => ({ type: 'registerPerp', perp })),
    ]);
    for (const { instrumentId: id } of perps) this.#oracles.set(id, 1_000_000);
    this.prices({});
  }

  /** Calls `onEntry` after every entry. */
  watch(onEntry: (entry: Entry) => void): void {
    this.#watch = onEntry;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get shot(): StateCopy {
    return this.#shot;
  }

  lastValidMark(id: number): number | undefined {
    return this.#judged.get(id);
  }

  oracleOf(id: number): number {
    return this.#oracles.get(id) ?? 1_000_000;
  }

  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  apply(commands: readonly Command[]): Entry {
    const before = this.#shot;
    const judged = new Map(this.#judged);
    const { state } = this;
    const block = { height: state.height + 1, timeMs: timeMs(this.#nowMs), commands };
    const result = applyBlock(state, block);
    const after = shotOf(state);
    this.#shot = after;
    for (const market of after.markets.values()) {
      if (hasValidMark(market)) this.#judged.set(market.id, market.mark);
    }
    const entry = { commands, result, before, after, judged };
    this.#watch(entry);
    return entry;
  }

  /** Applies an entry with the prices of all reported markets, some of them changed. */
  prices(changes: Readonly<Record<number, number>>, ...more: readonly Command[]): Entry {
    for (const [id, price] of Object.entries(changes)) this.#oracles.set(Number(id), price);
    const prices = [...this.#oracles]
      .filter(([id]) => !this.#hushed.has(id))
      .map(([id, oracle]) => ({ instrumentId: instrumentId(id), oracle }));
    const push: Command = { type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs) };
    return this.apply([push, ...more]);
  }

  /** Stops or resumes this market's price pushes, from the next entry with prices on. */
  hush(id: number, isHushed: boolean): void {
    if (isHushed) this.#hushed.add(id);
    else this.#hushed.delete(id);
  }

  credit(account: Address, usdc: number): void {
    const amountMicroUsdc = Math.round(usdc * USDC);
    this.apply([{ type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc }]);
  }

  sign(signer: Address, command: Unsigned): Command {
    const nonce = ++this.#nonce;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    return { ...command, authority: { signer, nonce, txHash } } as Command;
  }

  act(signer: Address, command: Unsigned): Entry & { readonly outcome: CommandResult } {
    const entry = this.apply([this.sign(signer, command)]);
    return { ...entry, outcome: entry.result.outcomes[0] ?? {} };
  }

  place(signer: Address, ...orders: readonly OrderRequest[]): CommandResult {
    return this.act(signer, { type: 'placeOrders', orders }).outcome;
  }

  /** Trades between two accounts at a price. The seller's order rests first. */
  deal(
    sides: { readonly buyer: Address; readonly seller: Address },
    terms: { readonly id: number; readonly price: number; readonly size: number },
  ): void {
    this.place(sides.seller, order({ ...terms, isBuy: false }));
    this.place(sides.buyer, order({ ...terms, isBuy: true, timeInForce: 'ioc' }));
    this.act(sides.seller, { type: 'cancelAll' });
  }
}

export type OrderTerms = Partial<Omit<OrderRequest, 'instrumentId'>> & {
  readonly id: number;
  readonly price: number;
  readonly size: number;
};

export function order({ id, ...terms }: OrderTerms): OrderRequest {
  return {
    instrumentId: instrumentId(id),
    isBuy: true,
    reduceOnly: false,
    timeInForce: 'gtc',
    ...terms,
  };
}
