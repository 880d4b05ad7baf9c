import {
  applyBlock,
  createState,
  type Authority,
  type Block,
  type BlockResult,
  type Command,
  type OrderRequest,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import type { EngineFlow, EngineFlowOptions } from './engine-flow.ts';
import { createRandom } from './report.ts';

/**
 * Creates the same kind of log as `engine-flow.ts` on outcome markets. All accounts have pairs of
 * shares, so that orders of all four kinds match.
 */
export function createOutcomeFlow(options: EngineFlowOptions): EngineFlow {
  const maker = new OutcomeFlowMaker(options);
  const setUp = maker.setUp();
  const blocks: Block[] = [];
  while (maker.orders < options.orders) blocks.push(maker.next());
  return { setUp, blocks, ...maker.totals() };
}

const START_MS = 1_767_225_600_000;
const FUNDS_MICRO_USDC = 1_000_000_000_000;
const BLOCK_MS = 5;
const DAY_MS = 86_400_000;
const FIRST_ID = 100_000;
const MARKETS = 3;
/**
 * One price unit is 0.0001 USDC. The tick is 0.001 USDC, so that the book has as many levels as in
 * the other flow.
 */
const UNIT = 10_000;
const TICK = 10;
const STEPS = 200;
const CROSSING_IN_100 = 10;
/** Orders are for five to ten shares. */
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
    const entries = Array.from({ length: MARKETS }, (_, at) => {
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
   * Returns an order on either side and for either outcome. The remainder of a crossing order rests
   * in the book.
   */
  #order(): OrderRequest {
    const isBuy = this.#random.below(2) === 0;
    const reduceOnly = this.#random.below(2) === 0;
    const isCrossing = this.#random.below(100) < CROSSING_IN_100;
    const distance = TICK * (1 + this.#random.below(STEPS));
    const yes = UNIT / 2 + (isBuy !== isCrossing ? -distance : distance);
    return {
      instrumentId: instrumentId(FIRST_ID + this.#random.below(MARKETS)),
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
  const markets = Array.from({ length: MARKETS }, (_, at): Command => {
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
