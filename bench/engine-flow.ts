import {
  applyBlock,
  createState,
  RULES_VERSION,
  type Authority,
  type Block,
  type BlockResult,
  type Command,
  type OrderRequest,
  type State,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { createRandom } from './report.ts';

/**
 * Creates a log for the engine: accounts with positions in three perps quote around the oracle
 * price, a tenth of the orders trade, and old orders are cancelled. The log is created by executing
 * it: orders that do not fit the state would be rejected, and the benchmark would measure
 * rejections. A rejection is an error.
 */

/** The first command sets the rules version (R-era). */
const OPENING: Command = {
  type: 'openEra',
  rules: RULES_VERSION,
  stateHash: hash(`0x${'0'.repeat(64)}`),
  previousHash: hash(`0x${'0'.repeat(64)}`),
};

export type EngineFlow = {
  readonly setUp: readonly Block[];
  readonly blocks: readonly Block[];
  readonly orders: number;
  readonly cancels: number;
  readonly trades: number;
  /** The digest of the state after all blocks, for comparison. */
  readonly digest: string;
};

type EngineFlowOptions = {
  readonly orders: number;
  readonly ordersPerAction: number;
  readonly accounts?: number;
  readonly actionsPerBlock?: number;
  /** An account with more live orders than this cancels one for each order it places. */
  readonly livePerAccount?: number;
};

export function createEngineFlow(options: EngineFlowOptions): EngineFlow {
  const maker = new EngineFlowMaker(options);
  const setUp = maker.setUp();
  const blocks: Block[] = [];
  while (maker.orders < options.orders) blocks.push(maker.next());
  return { setUp, blocks, ...maker.totals() };
}

export function stateAfter(blocks: readonly Block[]): State {
  const state = createState();
  for (const block of blocks) applyBlock(state, block);
  return state;
}

const START_MS = 1_767_225_600_000;
const FUNDS_MICRO_USDC = 1_000_000_000_000;
const BLOCK_MS = 5;
const ORACLE_BLOCKS = 200;

/** Oracle prices and quote steps are in price units. The lots are worth about 20 USDC. */
const MARKETS = [
  { id: instrumentId(1), oracle: 970_000, step: 1, lots: 20 },
  { id: instrumentId(2), oracle: 340_000, step: 1, lots: 60 },
  { id: instrumentId(3), oracle: 1_800_000, step: 10, lots: 12 },
] as const;
/** The number of price levels at which accounts quote. */
const STEPS = 200;
const CROSSING_IN_100 = 10;

class EngineFlowMaker {
  readonly #state = createState();
  readonly #random = createRandom(20_261_115);
  readonly #accounts: readonly Address[];
  readonly #live: ReadonlyMap<Address, Set<number>>;
  readonly #perpOf = new Map<number, number>();
  readonly #options: Required<EngineFlowOptions>;
  #height = 0;
  /** Nonces must be later than the first block (R-nonce). */
  #nonce = START_MS + 1_000;
  #turn = 0;
  #cancels = 0;
  #trades = 0;
  #digest = '';
  orders = 0;

  constructor(options: EngineFlowOptions) {
    this.#options = { accounts: 64, actionsPerBlock: 20, livePerAccount: 200, ...options };
    this.#accounts = Array.from({ length: this.#options.accounts }, (_, index) =>
      address(`0x${(index + 1).toString(16).padStart(40, '0')}`),
    );
    this.#live = new Map(this.#accounts.map((account) => [account, new Set<number>()]));
  }

  totals(): Pick<EngineFlow, 'orders' | 'cancels' | 'trades' | 'digest'> {
    const { orders } = this;
    return { orders, cancels: this.#cancels, trades: this.#trades, digest: this.#digest };
  }

  setUp(): Block[] {
    const credits = this.#accounts.map((account): Command => {
      return {
        type: 'creditFaucet',
        account,
        subAccount: 'perp',
        amountMicroUsdc: FUNDS_MICRO_USDC,
      };
    });
    const quotes = this.#accounts.map((account, index) => this.#opening(account, index % 2 === 0));
    return [
      this.#block([OPENING, ...genesisCommands('Oddlot-Testnet')]),
      this.#block([this.#oracle()]),
      this.#block(credits),
      this.#block(quotes),
    ];
  }

  next(): Block {
    const commands: Command[] = [];
    if (this.#height % ORACLE_BLOCKS === 0) commands.push(this.#oracle());
    for (let count = 0; count < this.#options.actionsPerBlock; count++)
      commands.push(this.#action());
    return this.#block(commands);
  }

  #action(): Command {
    const { livePerAccount, ordersPerAction } = this.#options;
    const signer = this.#accounts[this.#turn++ % this.#accounts.length]!;
    const live = this.#live.get(signer)!;
    const authority = this.#authority(signer);
    if (live.size >= livePerAccount) {
      const cancels = [...live].slice(0, ordersPerAction).map((orderId) => {
        return { instrumentId: instrumentId(this.#perpOf.get(orderId)!), orderId };
      });
      for (const { orderId } of cancels) live.delete(orderId);
      this.#cancels += cancels.length;
      return { type: 'cancelOrders', authority, cancels };
    }
    const orders = Array.from({ length: ordersPerAction }, () => this.#order());
    this.orders += orders.length;
    return { type: 'placeOrders', authority, orders };
  }

  #order(): OrderRequest {
    const { id, oracle, step, lots } = MARKETS[this.#random.below(MARKETS.length)]!;
    const isBuy = this.#random.below(2) === 0;
    const isCrossing = this.#random.below(100) < CROSSING_IN_100;
    const distance = step * (1 + this.#random.below(STEPS));
    const below = isBuy !== isCrossing;
    return {
      instrumentId: id,
      isBuy,
      price: below ? oracle - distance : oracle + distance,
      size: lots + this.#random.below(lots),
      reduceOnly: false,
      timeInForce: isCrossing ? 'ioc' : 'gtc',
    };
  }

  /**
   * Returns the opening order of an account. In each pair of accounts, one offers and the other
   * takes the offer, so both have positions.
   */
  #opening(signer: Address, isOffering: boolean): Command {
    const orders = MARKETS.map(({ id, oracle, lots }): OrderRequest => {
      const shape = { instrumentId: id, price: oracle, size: 10 * lots, reduceOnly: false };
      return { ...shape, isBuy: !isOffering, timeInForce: 'gtc' };
    });
    return { type: 'placeOrders', authority: this.#authority(signer), orders };
  }

  #oracle(): Command {
    const prices = MARKETS.map(({ id, oracle }) => ({ instrumentId: id, oracle }));
    return { type: 'pushOracle', prices, observedMs: timeMs(this.#now()) };
  }

  #authority(signer: Address): Authority {
    const nonce = this.#nonce++;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  #now(): number {
    return START_MS + this.#height * BLOCK_MS;
  }

  #block(commands: readonly Command[]): Block {
    const block = { height: this.#height + 1, timeMs: timeMs(this.#now()), commands };
    this.#height += 1;
    this.#follow(applyBlock(this.#state, block));
    return block;
  }

  #follow({ outcomes, events, digest }: BlockResult): void {
    this.#digest = digest;
    for (const { reject } of outcomes) {
      if (reject !== undefined) throw new Error(`an action was refused: ${reject.reason}`);
    }
    for (const event of events) {
      if (event.type === 'tradeExecuted') this.#trades += 1;
      if (event.type !== 'orderUpdated') continue;
      const { orderId, account, instrumentId: perp } = event.order;
      if (event.status === 'rejected') throw new Error(`refused: ${event.reject?.reason}`);
      if (event.status === 'open') {
        this.#live.get(account)!.add(orderId);
        this.#perpOf.set(orderId, perp);
      } else {
        this.#live.get(account)!.delete(orderId);
        this.#perpOf.delete(orderId);
      }
    }
  }
}

/**
 * Creates the same kind of log for outcome markets. All accounts hold pairs of shares, so that
 * orders of all four kinds match.
 */
export function createOutcomeFlow(options: EngineFlowOptions): EngineFlow {
  const maker = new OutcomeFlowMaker(options);
  const setUp = maker.setUp();
  const blocks: Block[] = [];
  while (maker.orders < options.orders) blocks.push(maker.next());
  return { setUp, blocks, ...maker.totals() };
}

const DAY_MS = 86_400_000;
const FIRST_ID = 100_000;
const OUTCOME_MARKETS = 3;
/**
 * One price unit is 0.0001 USDC. The tick is 0.001 USDC, which gives the book as many levels as in
 * the other flow.
 */
const UNIT = 10_000;
const TICK = 10;
/** Each order is for five to ten shares. */
const LOTS = 500;
const PAIRS_LOTS = 10_000_000;

class OutcomeFlowMaker {
  readonly #state = createState();
  readonly #random = createRandom(20_261_115);
  readonly #accounts: readonly Address[];
  readonly #live: ReadonlyMap<Address, Set<number>>;
  readonly #marketOf = new Map<number, number>();
  readonly #options: Required<EngineFlowOptions>;
  #height = 0;
  /** Nonces must be later than the first block (R-nonce). */
  #nonce = START_MS + 1_000;
  #turn = 0;
  #cancels = 0;
  #trades = 0;
  #digest = '';
  orders = 0;

  constructor(options: EngineFlowOptions) {
    this.#options = { accounts: 64, actionsPerBlock: 20, livePerAccount: 200, ...options };
    this.#accounts = Array.from({ length: this.#options.accounts }, (_, index) =>
      address(`0x${(index + 1).toString(16).padStart(40, '0')}`),
    );
    this.#live = new Map(this.#accounts.map((account) => [account, new Set<number>()]));
  }

  totals(): Pick<EngineFlow, 'orders' | 'cancels' | 'trades' | 'digest'> {
    const { orders } = this;
    return { orders, cancels: this.#cancels, trades: this.#trades, digest: this.#digest };
  }

  setUp(): Block[] {
    const subAccount = 'outcome';
    const credits = this.#accounts.map((account): Command => {
      return { type: 'creditFaucet', account, subAccount, amountMicroUsdc: FUNDS_MICRO_USDC };
    });
    const entries = Array.from({ length: OUTCOME_MARKETS }, (_, at) => {
      return { instrumentId: instrumentId(FIRST_ID + at), size: PAIRS_LOTS };
    });
    const splits = this.#accounts.map((account): Command => {
      const authority = this.#authority(account);
      return { type: 'operateOutcome', authority, kind: 'split', entries };
    });
    return [
      this.#block([...genesisCommands('Oddlot-Testnet')]),
      this.#block(listings()),
      this.#block(credits),
      this.#block(splits),
    ];
  }

  next(): Block {
    const { actionsPerBlock } = this.#options;
    return this.#block(Array.from({ length: actionsPerBlock }, () => this.#action()));
  }

  #action(): Command {
    const { livePerAccount, ordersPerAction } = this.#options;
    const signer = this.#accounts[this.#turn++ % this.#accounts.length]!;
    const live = this.#live.get(signer)!;
    const authority = this.#authority(signer);
    if (live.size >= livePerAccount) {
      const cancels = [...live].slice(0, ordersPerAction).map((orderId) => {
        return { instrumentId: instrumentId(this.#marketOf.get(orderId)!), orderId };
      });
      for (const { orderId } of cancels) live.delete(orderId);
      this.#cancels += cancels.length;
      return { type: 'cancelOrders', authority, cancels };
    }
    const orders = Array.from({ length: ordersPerAction }, () => this.#order());
    this.orders += orders.length;
    return { type: 'placeOrders', authority, orders };
  }

  /**
   * Returns an order on either side and for either outcome. The rest of a crossing order stays in
   * the book.
   */
  #order(): OrderRequest {
    const isBuy = this.#random.below(2) === 0;
    const reduceOnly = this.#random.below(2) === 0;
    const isCrossing = this.#random.below(100) < CROSSING_IN_100;
    const distance = TICK * (1 + this.#random.below(STEPS));
    const yes = UNIT / 2 + (isBuy !== isCrossing ? -distance : distance);
    return {
      instrumentId: instrumentId(FIRST_ID + this.#random.below(OUTCOME_MARKETS)),
      isBuy,
      reduceOnly,
      price: isBuy !== reduceOnly ? yes : UNIT - yes,
      size: LOTS + this.#random.below(LOTS),
      timeInForce: 'gtc',
    };
  }

  #authority(signer: Address): Authority {
    const nonce = this.#nonce++;
    return { signer, nonce, txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`) };
  }

  #block(commands: readonly Command[]): Block {
    const now = START_MS + this.#height * BLOCK_MS;
    const block = { height: this.#height + 1, timeMs: timeMs(now), commands };
    this.#height += 1;
    this.#follow(applyBlock(this.#state, block));
    return block;
  }

  #follow({ outcomes, events, digest }: BlockResult): void {
    this.#digest = digest;
    for (const { reject } of outcomes) {
      if (reject !== undefined) throw new Error(`an action was refused: ${reject.reason}`);
    }
    for (const event of events) {
      if (event.type === 'outcomeTraded') this.#trades += 1;
      if (event.type !== 'orderUpdated') continue;
      const { orderId, account, instrumentId: market } = event.order;
      if (event.status === 'rejected') throw new Error(`refused: ${event.reject?.reason}`);
      if (event.status === 'open') {
        this.#live.get(account)!.add(orderId);
        this.#marketOf.set(orderId, market);
      } else {
        this.#live.get(account)!.delete(orderId);
        this.#marketOf.delete(orderId);
      }
    }
  }
}

function listings(): Command[] {
  const span = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + DAY_MS) };
  const texts = { description: '', image: null, icon: null, category: 'bench', tags: [] };
  const slug = 'bench';
  const markets = Array.from({ length: OUTCOME_MARKETS }, (_, at): Command => {
    return {
      type: 'registerMarket',
      market: {
        ...span,
        eventSlug: slug,
        slug: `${slug}-${at}`,
        question: 'Fast?',
        groupTitle: null,
        description: '',
        resolutionSource: 'the clock',
        outcomes: ['Yes', 'No'],
        underlying: null,
        szDecimals: 2,
        priceTick: TICK,
        minOrderSize: LOTS,
        maxOrderSize: 2 * PAIRS_LOTS,
        takerFeeE8: 7_000_000,
        orderDelayMs: 0,
      },
    };
  });
  return [
    {
      type: 'registerEvent',
      event: { slug, title: 'Bench', ...texts, mutuallyExclusive: false, ...span },
    },
    ...markets,
  ];
}
