import { applyBlock, checkInvariants, createState, type Command } from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { MarketData } from '../packages/translate/src/read-models/market-data.ts';
import type { AppliedBlock } from '../packages/replica/src/block.ts';
import {
  atMost,
  cpuMs,
  median,
  same,
  settleHeap,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/** Measures resolving a market with many holders: the total time and the longest block. */

const TOTAL_MS = 2_000;
const BLOCK_MS = 15;
const START_MS = 1_800_000_000_000;
const ID = instrumentId(100_000);
const COMMANDS_PER_BLOCK = 1_000;
const NO_HASH = hash(`0x${'0'.repeat(64)}`);

export async function settlementSection(scale: Scale): Promise<readonly Row[]> {
  const holders = sized(scale, { full: 100_000, quick: 100_000, tiny: 100 });
  const rounds = sized(scale, { full: 5, quick: 3, tiny: 2 });
  const totals: number[] = [];
  const longest: number[] = [];
  let blocks = 0;
  for (let round = 0; round < rounds; round++) {
    const venue = new Theatre(holders);
    await settleHeap();
    const spent = venue.settle();
    venue.check();
    // The first round includes compilation and is not counted.
    if (round === 0) continue;
    totals.push(spent.reduce((sum, ms) => sum + ms, 0));
    longest.push(Math.max(...spent));
    blocks = spent.length;
  }
  const words = `CPU of engine and market data; ${show(holders)} holders in ${blocks} blocks`;
  return [
    atMost('settlement of an outcome market', words, median(totals), TOTAL_MS, ' ms'),
    atMost(
      'longest block of that settlement',
      `of ${blocks}, garbage collection included`,
      median(longest),
      BLOCK_MS,
      ' ms',
    ),
  ];
}

class Theatre {
  readonly #state = createState();
  readonly #markets = new MarketData(() => this.#state);
  /** Nonces must be later than the first block (R-nonce). */
  #nonce = START_MS + 1_000;

  constructor(holders: number) {
    this.#apply([{ type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') }, ...LISTING]);
    for (let from = 0; from < holders; from += COMMANDS_PER_BLOCK) {
      const numbers = Array.from(
        { length: Math.min(COMMANDS_PER_BLOCK, holders - from) },
        (_, at) => from + at + 1,
      );
      this.#apply(numbers.map((number) => credit(testAddress(number))));
      this.#apply(numbers.map((number) => this.#buys(number)));
    }
    this.#apply([{ type: 'setTrading', instrumentIds: [ID], to: 'closed' }]);
  }

  /** Resolves the market and returns the time of each block, in ms. */
  settle(): number[] {
    const noEvidence = { oracleOutcome: null, evidence: null };
    const spent = [
      this.#timed([{ type: 'resolveMarket', instrumentId: ID, fraction: 2_500, ...noEvidence }]),
    ];
    while (!this.#state.outcomes.settled.has(ID)) spent.push(this.#timed([]));
    return spent;
  }

  /** Checks that all holders were paid, money is conserved, and nothing remains locked. */
  check(): void {
    checkInvariants(this.#state);
    same('markets that are left', this.#state.outcomes.markets.size, 0);
  }

  #timed(commands: readonly Command[]): number {
    return cpuMs(() => this.#apply(commands));
  }

  #apply(commands: readonly Command[]): void {
    const height = this.#state.height + 1;
    const time = timeMs(Math.max(START_MS, this.#state.timeMs) + 1);
    const result = applyBlock(this.#state, { height, timeMs: time, commands });
    const logged = commands.map((command) => ({ command }));
    const hashes = { hash: NO_HASH, stateHash: NO_HASH, parentHash: NO_HASH };
    const block: AppliedBlock = { height, timeMs: time, ...hashes, commands: logged, result };
    this.#markets.onBlock(block);
  }

  /**
   * Returns an order for five shares. In each pair of accounts, one buys YES at 0.60 and the other
   * takes the opposite side.
   */
  #buys(number: number): Command {
    const nonce = ++this.#nonce;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    const isBuy = number % 2 === 0;
    const order = { instrumentId: ID, isBuy, price: isBuy ? 6_000 : 4_000, size: 500 };
    return {
      type: 'placeOrders',
      authority: { signer: testAddress(number), nonce, txHash },
      orders: [{ ...order, reduceOnly: false, timeInForce: 'gtc' }],
    };
  }
}

const testAddress = (number: number): Address =>
  address(`0x${number.toString(16).padStart(40, '0')}`);

const credit = (account: Address): Command => {
  return { type: 'creditFaucet', account, subAccount: 'outcome', amountMicroUsdc: 10_000_000 };
};

const SPAN = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + 86_400_000) };
const LISTING: readonly Command[] = [
  {
    type: 'registerEvent',
    event: {
      slug: 'bench',
      title: 'Bench',
      description: '',
      category: 'bench',
      tags: [],
      image: null,
      icon: null,
      mutuallyExclusive: false,
      ...SPAN,
    },
  },
  {
    type: 'registerMarket',
    market: {
      ...SPAN,
      eventSlug: 'bench',
      slug: 'bench',
      question: 'Paid?',
      groupTitle: null,
      description: '',
      resolutionSource: 'the clock',
      outcomes: ['Yes', 'No'],
      underlying: null,
      szDecimals: 2,
      priceTick: 100,
      minOrderSize: 500,
      maxOrderSize: 1_000_000,
      takerFeeE8: 7_000_000,
      orderDelayMs: 0,
    },
  },
];
