import {
  applyBlock,
  checkInvariants,
  type Command,
  createState,
  type EngineEvent,
  type State,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { listing } from './positions.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  median,
  noted,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * A gap that ruins very many at once is settled in the block that carries it, whatever their number
 * (R-storms). Half of the accounts are long of the other half; the price falls past what the longs
 * have, so each of them is closed against somebody in that one block. Beside it as many trades of
 * resting and incoming orders in one block: they move as many positions.
 */

const TARGET_MS = 1_000;
/** What a scope costs among many, over what it costs among a tenth of them. */
const TARGET_GROWTH = 2;
const START_MS = 1_767_225_600_000;
const ID = instrumentId(1);
const ORACLE = 1_000_000;
const LOTS = 1_000;
const USDC = 1_000_000;
const PER_BLOCK = 1_000;

export async function insolventSection(scale: Scale): Promise<readonly Row[]> {
  const many = sized(scale, { full: 10_000, quick: 10_000, tiny: 20 });
  const few = Math.max(2, Math.floor(many / 10));
  const rounds = sized(scale, { full: 5, quick: 3, tiny: 1 });
  const spent = { many: [] as number[], few: [] as number[], trades: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const [small, large] = [new Pairs(few), new Pairs(many)];
    const times = { few: small.gap(), trades: large.trades(), many: large.gap() };
    // In the first round the code is compiled.
    if (round === 0 && scale !== 'tiny') continue;
    spent.few.push(times.few);
    spent.many.push(times.many);
    spent.trades.push(times.trades);
  }
  // The shortest of each: the collector of garbage works on all accounts, beside and in between.
  const [most, least, trades] = [spent.many, spent.few, spent.trades].map((all) =>
    Math.min(...all),
  );
  const [gapMs, fewMs, tradesMs] = [most ?? Number.NaN, least ?? Number.NaN, trades ?? Number.NaN];
  const each = (ms: number, count: number): string =>
    `${show((ms * 1_000) / count)} µs of ${show(count)}`;
  const words = `${show(median(spent.many))} ms in the median, ${show(many)} insolvent scopes`;
  const growth = gapMs / many / (fewMs / few);
  const beside = `${show(gapMs)} ms, ${show(tradesMs)} ms for ${show(many)} trades`;
  return [
    atMost('a gap settled in one block', words, gapMs, TARGET_MS, ' ms'),
    atMost(
      'an insolvent scope by how many there are',
      `${each(gapMs, many)}, ${each(fewMs, few)}`,
      growth,
      TARGET_GROWTH,
    ),
    noted('the gap over as many trades in one block', beside, gapMs / tradesMs),
  ];
}

/** Accounts in pairs, each with a long of 20× and a short that can pay. */
class Pairs {
  readonly #state: State = createState();
  readonly #pairs: number;
  #nowMs = START_MS;
  /** Nothing counts that was signed before the log began (R-nonce). */
  #nonce = START_MS + PER_BLOCK;

  constructor(pairs: number) {
    this.#pairs = pairs;
    this.#block([
      { type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') },
      { type: 'registerPerp', perp: listing(ID) },
    ]);
    this.#price(ORACLE);
    for (let from = 0; from < pairs; from += PER_BLOCK) {
      const some = Array.from({ length: Math.min(PER_BLOCK, pairs - from) }, (_, at) => from + at);
      this.#block(some.flatMap((pair) => [credit(long(pair), 60), credit(short(pair), 10_000)]));
      this.#block(some.flatMap((pair) => this.#deal(pair, ORACLE)));
    }
  }

  /** The price falls by a tenth: every long has lost more than it had. Returns ms. */
  gap(): number {
    const { events, spentMs } = this.#timed(() => this.#price((ORACLE * 9) / 10));
    const closed = new Set<string>();
    for (const event of events) {
      if (event.type === 'liquidationStep' && event.step === 'adl') closed.add(event.account);
    }
    same('insolvent scopes worked', closed.size, this.#pairs);
    checkInvariants(this.#state);
    return spentMs;
  }

  /** As many trades: each pair once more, some lots that both can carry. Returns ms. */
  trades(): number {
    const commands = Array.from({ length: this.#pairs }, (_, pair) => this.#deal(pair, ORACLE, 10));
    const { events, spentMs } = this.#timed(() => this.#block(commands.flat()));
    const traded = events.filter(({ type }) => type === 'tradeExecuted').length;
    same('trades', traded, this.#pairs);
    return spentMs;
  }

  #timed(happen: () => readonly EngineEvent[]): {
    readonly events: readonly EngineEvent[];
    readonly spentMs: number;
  } {
    collectGarbage();
    let events: readonly EngineEvent[] = [];
    const spentMs = cpuMs(() => {
      events = happen();
    });
    return { events, spentMs };
  }

  #deal(pair: number, price: number, size = LOTS): Command[] {
    return [
      this.#place(short(pair), false, price, size),
      this.#place(long(pair), true, price, size),
    ];
  }

  #place(signer: Address, isBuy: boolean, price: number, size: number): Command {
    const nonce = this.#nonce++;
    const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
    const order = {
      instrumentId: ID,
      isBuy,
      price,
      size,
      reduceOnly: false,
      timeInForce: 'gtc',
    } as const;
    return { type: 'placeOrders', authority: { signer, nonce, txHash }, orders: [order] };
  }

  #price(oracle: number): readonly EngineEvent[] {
    const prices = [{ instrumentId: ID, oracle, external: oracle }];
    this.#nowMs += 1_000;
    return this.#block([{ type: 'pushOracle', prices, observedMs: timeMs(this.#nowMs + 1) }]);
  }

  #block(commands: readonly Command[]): readonly EngineEvent[] {
    this.#nowMs += 1;
    const { height } = this.#state;
    const block = { height: height + 1, timeMs: timeMs(this.#nowMs), commands };
    const { events, outcomes } = applyBlock(this.#state, block);
    for (const { entries, reject } of outcomes) {
      const why = reject ?? entries?.find((entry) => entry.reject !== undefined)?.reject;
      if (why !== undefined) throw new Error(`refused: ${why.reason}`);
    }
    return events;
  }
}

function credit(account: Address, usdc: number): Command {
  return { type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc: usdc * USDC };
}

const long = (pair: number): Address => someone(2 * pair);
const short = (pair: number): Address => someone(2 * pair + 1);

function someone(n: number): Address {
  return address(`0x${(0x100_0000 + n).toString(16).padStart(40, '0')}`);
}
