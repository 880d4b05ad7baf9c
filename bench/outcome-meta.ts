import { applyBlock, type Command, createState } from '@oddlot/engine';
import { NETWORKS, type OutcomeEventPage, parseInfo } from '@oddlot/protocol';
import { address, hash, instrumentId, timeMs } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { MarketData } from '../packages/translate/src/read-models/market-data.ts';
import type { AppliedBlock } from '../packages/replica/src/block.ts';
import {
  answerInfo,
  type InfoSettings,
  isStateQuery,
} from '../packages/translate/src/answer-info.ts';
import { atMost, createRandom, median, same, show, sized, type Row, type Scale } from './report.ts';

/** Pages of outcomeMeta over very many markets, while they trade. */

const TARGET_MS = 5;
const START_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const FIRST_ID = 100_000;
const MARKETS_PER_EVENT = 2;
const PAGE = 50;
/** Markets that trade between two pages. */
const TOUCHED = 20;
/** An account has at most 5,000 orders, and two rest in each market. */
const MARKETS_PER_MAKER = 2_000;
const SORTS = ['volume', 'trending', 'liquidity', 'newest', 'endingSoon'] as const;

export async function outcomeMetaSection(scale: Scale): Promise<readonly Row[]> {
  const markets = sized(scale, { full: 10_000, quick: 10_000, tiny: 300 });
  const pages = sized(scale, { full: 20_000, quick: 4_000, tiny: 30 });
  const warmUp = sized(scale, { full: 2_000, quick: 2_000, tiny: 5 });
  const venue = new Fair(markets);
  const random = createRandom(7);
  const touch = (): void => {
    venue.trade(Array.from({ length: TOUCHED }, () => random.below(markets)));
  };
  // Each order is made when it is first asked for; that is told apart.
  const first = SORTS.map((sortBy) => venue.page({ sortBy, limit: PAGE }).ms);
  const spent: number[] = [];
  const cursors = new Map<string, string | null>();
  for (let at = -warmUp; at < pages; at++) {
    const sortBy = SORTS[Math.abs(at) % SORTS.length] ?? 'volume';
    if (at % SORTS.length === 0) touch();
    const cursor = cursors.get(sortBy);
    const after = cursor === undefined || cursor === null ? {} : { cursor };
    const { ms, page } = venue.page({ sortBy, limit: PAGE, ...after });
    cursors.set(sortBy, page.next_cursor);
    if (at >= 0) spent.push(ms);
  }
  same('events by their end', venue.walk('endingSoon'), Math.ceil(markets / MARKETS_PER_EVENT));
  const sorted = spent.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const words =
    `wall-clock, with JSON; ${show(markets)} markets, ${PAGE} events a page, ` +
    `${show(median(spent))} ms in the median of ${show(pages)}, ${show(Math.max(...first))} ms the first of an order`;
  return [atMost('a page of outcomeMeta, the 99th percentile', words, p99, TARGET_MS, ' ms')];
}

const NOBODY = `0x${'0'.repeat(40)}`;
const SETTINGS: InfoSettings = {
  bridgeContractAddress: NOBODY,
  usdcContractAddress: NOBODY,
  settlementChainId: 1,
  chainName: '',
};
const NO_HASH = hash(`0x${'0'.repeat(64)}`);
const MAKER = 1;
const TAKER = 1_000;

/** A venue full of markets, two to an event. */
class Fair {
  readonly #state = createState();
  readonly #markets = new MarketData(() => this.#state);
  /** Above the time of the first block (R-nonce). */
  #nonce = START_MS + 1_000;

  constructor(markets: number) {
    this.#apply([{ type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') }]);
    const makers = Math.ceil(markets / MARKETS_PER_MAKER);
    for (const who of [TAKER, ...Array.from({ length: makers }, (_, at) => MAKER + at)]) {
      const funds = { subAccount: 'outcome', amountMicroUsdc: 10 ** 14 } as const;
      this.#apply([{ type: 'creditFaucet', account: actor(who), ...funds }]);
    }
    for (let at = 0; at < markets; at++) {
      if (at % MARKETS_PER_EVENT === 0) this.#apply([eventCommand(at)]);
      this.#apply([marketCommand(at)]);
      this.#apply([
        this.#order(makerOf(at), at, true, 40),
        this.#order(makerOf(at), at, false, 60),
      ]);
    }
    this.trade(Array.from({ length: markets }, (_, at) => at));
  }

  /** Takes a little from both sides of some markets, and puts it back. */
  trade(markets: readonly number[]): void {
    this.#apply(
      markets.flatMap((at) => [
        this.#order(TAKER, at, true, 60),
        this.#order(makerOf(at), at, false, 60),
        this.#order(TAKER, at, false, 40),
        this.#order(makerOf(at), at, true, 40),
      ]),
    );
  }

  page(fields: object): { readonly ms: number; readonly page: OutcomeEventPage } {
    // A page takes less than what some machines count CPU time in.
    const startedMs = performance.now();
    const page = this.#ask(fields);
    const { length } = JSON.stringify(page);
    const ms = performance.now() - startedMs;
    if (length === 0) throw new Error('an answer has a text');
    return { ms, page };
  }

  /** How many different events all pages together have. */
  walk(sortBy: string): number {
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const after: object = cursor === null ? {} : { cursor };
      const { page }: { page: OutcomeEventPage } = this.page({ sortBy, limit: PAGE, ...after });
      for (const { slug } of page.events) seen.add(slug);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return seen.size;
  }

  #ask(fields: object): OutcomeEventPage {
    const parsed = parseInfo({ type: 'outcomeMeta', ...fields });
    if (!parsed.ok || !isStateQuery(parsed.query)) throw new Error('outcomeMeta is not served');
    const [state, markets, network] = [this.#state, this.#markets, NETWORKS.testnet];
    const answered = answerInfo({ state, markets, network, settings: SETTINGS }, parsed.query);
    if (!answered.ok) throw new Error(answered.error.message);
    return answered.data as OutcomeEventPage;
  }

  #apply(commands: readonly Command[]): void {
    const height = this.#state.height + 1;
    const time = timeMs(Math.max(START_MS, this.#state.timeMs) + 100);
    const result = applyBlock(this.#state, { height, timeMs: time, commands });
    const block: AppliedBlock = {
      height,
      timeMs: time,
      hash: NO_HASH,
      parentHash: NO_HASH,
      stateHash: NO_HASH,
      commands: commands.map((command) => ({ command })),
      result,
    };
    this.#markets.onBlock(block);
  }

  /** An order for ten shares on the YES side of the book, price in cents. */
  #order(who: number, at: number, isBuy: boolean, cents: number): Command {
    const nonce = ++this.#nonce;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    return {
      type: 'placeOrders',
      authority: { signer: actor(who), nonce, txHash },
      orders: [
        {
          instrumentId: instrumentId(FIRST_ID + at),
          isBuy,
          reduceOnly: false,
          price: (isBuy ? cents : 100 - cents) * 100,
          size: 1_000,
          timeInForce: 'gtc',
        },
      ],
    };
  }
}

const makerOf = (at: number): number => MAKER + Math.floor(at / MARKETS_PER_MAKER);

const actor = (number: number) => address(`0x${number.toString(16).padStart(40, '0')}`);

const times = { startMs: timeMs(START_MS), endMs: timeMs(START_MS + 30 * DAY_MS) };

function eventCommand(at: number): Command {
  const texts = { title: `Event ${at}`, description: 'x'.repeat(300), category: 'bench' };
  return {
    type: 'registerEvent',
    event: {
      slug: `event-${at}`,
      ...texts,
      tags: ['bench'],
      image: null,
      icon: null,
      mutuallyExclusive: false,
      startMs: times.startMs,
      endMs: timeMs(times.endMs + at),
    },
  };
}

function marketCommand(at: number): Command {
  return {
    type: 'registerMarket',
    market: {
      eventSlug: `event-${at - (at % MARKETS_PER_EVENT)}`,
      slug: `market-${at}`,
      question: `Market ${at}?`,
      groupTitle: null,
      description: 'x'.repeat(300),
      resolutionSource: 'bench',
      outcomes: ['Yes', 'No'],
      ...times,
      underlying: null,
      szDecimals: 2,
      priceTick: 100,
      minOrderSize: 500,
      maxOrderSize: 1_000_000,
      takerFeeE8: 7_000_000,
      orderDelayMs: 0,
    },
  };
}
