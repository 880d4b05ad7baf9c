import { writeFileSync } from 'node:fs';
import { accountWorth, marketView, type PerpDefinition, perpDefinitions } from '@oddlot/engine';
import { type ClientOptions, Instruments, type LedgerUpdate, privateKeyWallet } from '@oddlot/sdk';
import { formatDecimal, type Hash, parseExact } from '@oddlot/units';
import { durationMs } from '../duration.ts';
import type { TestMarket } from '../outcome-listing.ts';
import { seededBytes, seededKey, seededWallet } from '../seeded-wallet.ts';
import { type TestAccount, TestVenue } from '../test-venue.ts';
import { AccountHistory } from './account-history.ts';
import { backtestPage } from './backtest-page.ts';
import { type BacktestReport, ValueCurve } from './backtest-report.ts';
import { mergeRows, type PlacedRow, RecordingError } from './recording.ts';
import {
  type BotTurn,
  checkFractionDecimals,
  checkReplayOptions,
  type OutcomeInput,
  type ReplayOptions,
} from './replay-options.ts';
import type { RecordedRow } from './recorded-row.ts';
import { RecordedMarket } from './recorded-market.ts';
import { type ReplayedMarket, replayedOutcome, replayedPerp } from './replayed-market.ts';
import { setImmediate } from 'node:timers/promises';
import { traceId } from '@oddlot/protocol';
import type { ControlledVenue } from '../controlled-venue.ts';

/** The same terms as for series markets. */
const OUTCOME_TERMS = { takerFeeRate: '0.07', orderDelayMs: 250 };
/** The duration, in milliseconds, of a market without an end time. */
const OUTCOME_LIFE_MS = 10 * 366 * 86_400_000;
/** The time between the venue's start and the first row, during which accounts are funded. */
const AHEAD_MS = 60_000;
/** The name of the bot's account; its key is derived from it. */
const BOT = 'bot';
const USDC = '10000';
const USDC_DECIMALS = 6;

/**
 * Replays a recorded market in a venue created for it, lets a bot trade there, and returns a
 * report.
 */
export async function replayMarket(options: ReplayOptions): Promise<BacktestReport> {
  checkReplayOptions(options);
  const { page, recording } = options;
  const rows = mergeRows(recording);
  try {
    const first = await rows.next();
    if (first.done === true) throw new RangeError('the recording has no rows');
    const run = await BacktestRun.start(options, first.value.row);
    try {
      await run.play(first.value);
      for await (const row of rows) await run.play(row);
      await run.end();
      const report = run.report();
      if (page !== undefined) writeFileSync(page, backtestPage(report));
      return report;
    } finally {
      await run.stop();
    }
  } finally {
    await rows.return(undefined);
  }
}

class BacktestRun {
  readonly #venue: TestVenue;
  readonly #options: ReplayOptions;
  readonly #traded: ReplayedMarket;
  /** The listed outcome market. Undefined for a perp. */
  readonly #listed: TestMarket | undefined;
  readonly #account: TestAccount;
  readonly #history: AccountHistory;
  readonly #market: RecordedMarket;
  readonly #everyMs: number | undefined;
  readonly #curve = new ValueCurve();
  readonly #fromMs: number;
  #turn: BotTurn | undefined;
  #dueMs: number;
  #rows: RecordedRow[] = [];
  #count = 0;
  #settledAt: string | undefined;

  private constructor(
    venue: TestVenue,
    options: ReplayOptions,
    { account, first, history, listed }: Beginning,
  ) {
    const parts = TestVenue.partsOf(venue);
    const { every, market = 'BTC', quotes = {} } = options;
    this.#venue = venue;
    this.#options = options;
    this.#listed = listed;
    this.#history = history;
    this.#traded =
      listed === undefined
        ? replayedPerp(perpOf(perpDefinitions(parts.state), market))
        : replayedOutcome(marketView(parts.state, listed.id)!);
    const { orderDelayMs } = this.#traded;
    const fetch = answerQueued(venue.faults.fetch, parts);
    const client = orderDelayMs === 0 ? account.client : venue.client(account.wallet, { fetch });
    this.#account = { ...account, client };
    this.#everyMs = every === undefined ? undefined : durationMs(every);
    this.#fromMs = first.timeMs;
    this.#dueMs = first.timeMs + (this.#everyMs ?? Infinity);
    this.#market = new RecordedMarket({
      venue: parts,
      market: this.#traded,
      bot: account.address,
      addressOf: (name) => privateKeyWallet(seededKey(venue.seed, `recorded ${name}`)).address,
      quotes,
      draw: drawer(venue.seed),
      onMove: () => this.#curve.look(this.#value()),
    });
  }

  static async start(options: ReplayOptions, first: RecordedRow): Promise<BacktestRun> {
    const { bot, flags = [], market = 'BTC', outcome, seed = 'oddlot', usdc = USDC } = options;
    const time = first.timeMs - AHEAD_MS;
    const venue = await TestVenue.start({ seed, flags, accounts: 0, time }, { isDeferred: true });
    try {
      const { address } = seededWallet(seed, BOT).wallet;
      const history = new AccountHistory(TestVenue.partsOf(venue), address);
      const listed = outcome === undefined ? undefined : await list(venue, outcome, first);
      if (outcome !== undefined && listed !== undefined) {
        const { szDecimals } = marketView(TestVenue.partsOf(venue).state, listed.id)!.definition;
        checkFractionDecimals(outcome.settlementFraction, USDC_DECIMALS - szDecimals);
      }
      const money = listed === undefined ? { perp: usdc } : { outcome: usdc };
      const account = await venue.account(BOT, money);
      const run = new BacktestRun(venue, options, { account, first, history, listed });
      await run.#market.open(first);
      run.#keep();
      const instrument = (await Instruments.load(account.client)).find(listed?.id ?? market);
      const { client } = run.#account;
      run.#turn = await bot({
        client,
        account: run.#account,
        instrument: await instrument,
        venue,
      });
      return run;
    } catch (error) {
      await venue.stop();
      throw error;
    }
  }

  async play({ place, row }: PlacedRow): Promise<void> {
    const fault = this.#rowFault(row) ?? this.#market.learnFrom(row);
    if (fault !== undefined) throw new RecordingError(place, fault);
    while (this.#dueMs <= row.timeMs) {
      await this.#market.waitUntil(this.#dueMs);
      await this.#takeTurn();
      this.#dueMs += this.#everyMs ?? Infinity;
    }
    await this.#market.play(row);
    this.#rows.push(row);
    this.#count += 1;
    if (this.#everyMs === undefined) await this.#takeTurn();
  }

  /** Gives the bot its last turn and settles an outcome market. */
  async end(): Promise<void> {
    if (this.#rows.length > 0) await this.#takeTurn();
    const { outcome } = this.#options;
    if (outcome === undefined || this.#listed === undefined) return;
    // The bot's last orders are delayed like any others.
    await this.#market.waitUntil(this.#venue.now + this.#traded.orderDelayMs);
    if (outcome.endTime !== undefined) await this.#market.waitUntil(outcome.endTime);
    await this.#venue.resolveMarket(this.#listed, outcome.settlementFraction);
    this.#settledAt = outcome.settlementFraction;
    this.#keep();
  }

  /** Rejects rows of a kind that this market cannot have. */
  #rowFault(row: RecordedRow): string | undefined {
    const { outcome } = this.#options;
    if (outcome === undefined) return undefined;
    const { endTime = Infinity } = outcome;
    const lastMs = row.kind === 'candle' ? row.endMs : row.timeMs + 1;
    if (lastMs > endTime) {
      return 'the recording continues after the end of the market. Use a later endTime';
    }
    const highest = Math.max(...pricesOf(row).map(Number));
    return highest > 1
      ? `${highest} is not a valid share price. Use a value between 0 and 1`
      : undefined;
  }

  report(): BacktestReport {
    const { address: user } = this.#account;
    const { fundings, ledger } = this.#history;
    const fills = this.#history.fills.filter(
      ({ instrumentType }) => (instrumentType === 'outcome') === (this.#listed !== undefined),
    );
    const start = exact(this.#options.usdc ?? USDC);
    const end = this.#value().microUsdc;
    const { hash, height } = this.#venue.head;
    return {
      market: this.#traded.name,
      seed: this.#venue.seed,
      account: user,
      fromMs: this.#fromMs,
      toMs: this.#venue.now,
      rows: this.#count,
      startUsdc: usdcText(start),
      endUsdc: usdcText(end),
      pnl: usdcText(end - start),
      fees: usdcText(sum(fills.flatMap(({ builderFee = '0', fee }) => [fee, builderFee]))),
      funding: usdcText(sum(fundings.map(({ usdc }) => usdc))),
      drawdown: this.#curve.drawdown,
      fills,
      fundings: fundings.map(({ fundingRate: rate, szi: size, time: timeMs, usdc }) => {
        return { timeMs, rate, usdc, size };
      }),
      ...(this.#settledAt === undefined
        ? {}
        : { settlement: { fraction: this.#settledAt, usdc: usdcText(sum(settled(ledger))) } }),
      liquidations: ledger.flatMap(({ delta, time: timeMs }) => {
        if (delta.type !== 'liquidation') return [];
        const { accountValue, liquidatedNtlPos: notional, markPx: mark, step } = delta;
        const size = delta.liquidatedPositions[0]?.szi ?? '0';
        return [{ timeMs, step, size, notional, accountValue, mark }];
      }),
      curve: this.#curve.points,
      head: { height, hash },
    };
  }

  stop(): Promise<void> {
    return this.#venue.stop();
  }

  async #takeTurn(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    await this.#turn?.({ timeMs: this.#venue.now, price: this.#market.price, rows });
    this.#keep();
  }

  #keep(): void {
    const value = this.#value();
    this.#curve.look(value);
    this.#curve.keep({
      timeMs: value.timeMs,
      usdc: usdcText(value.microUsdc),
      price: this.#settledAt ?? this.#market.price,
      position: formatDecimal(value.size, this.#traded.szDecimals),
    });
  }

  /**
   * Returns the account's total value: both sub-accounts, plus the amounts reserved for orders and
   * withdrawals.
   */
  #value() {
    const { state } = TestVenue.partsOf(this.#venue);
    const { address } = this.#account;
    const microUsdc = accountWorth(state, address) ?? 0n;
    return { timeMs: this.#venue.now, microUsdc, size: this.#traded.heldBy(state, address) };
  }
}

type Beginning = {
  readonly account: TestAccount;
  readonly history: AccountHistory;
  readonly first: RecordedRow;
  readonly listed: TestMarket | undefined;
};

/** Lists an outcome market that opens immediately. */
function list(
  venue: TestVenue,
  { settlementFraction: _, ...input }: OutcomeInput,
  first: RecordedRow,
): Promise<TestMarket> {
  const { endTime = first.timeMs + OUTCOME_LIFE_MS } = input;
  const event = { endTime, ...input.event };
  return venue.createMarket({ ...OUTCOME_TERMS, ...input, endTime, event });
}

function pricesOf(row: RecordedRow): readonly string[] {
  if (row.kind === 'candle') return [row.open, row.high, row.low, row.close];
  return row.kind === 'book' ? [...row.bids, ...row.asks].map(({ price }) => price) : [row.price];
}

/** Returns the amounts paid for shares. */
function settled(ledger: readonly LedgerUpdate[]): readonly string[] {
  return ledger.flatMap(({ delta }) => (delta.type === 'outcomeSettlement' ? [delta.amount] : []));
}

function perpOf(perps: readonly PerpDefinition[], name: string): PerpDefinition {
  const perp = perps.find((each) => each.name === name || each.baseCurrency === name);
  if (perp !== undefined) return perp;
  throw new RangeError(
    `Unknown perp "${name}". Use one of ${perps.map((each) => each.name).join(', ')}`,
  );
}

/** Returns a generator of numbers in [0, 1) derived from the seed (xorshift32). */
function drawer(seed: string): () => number {
  let state = seededBytes(seed, 'replay').readInt32LE() || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function sum(texts: readonly string[]): bigint {
  return texts.reduce((whole, text) => whole + exact(text), 0n);
}

function exact(text: string): bigint {
  const amount = parseExact(text, USDC_DECIMALS);
  if (amount === undefined) throw new RangeError(`Invalid amount of USDC: "${text}"`);
  return amount;
}

function usdcText(microUsdc: bigint): string {
  return formatDecimal(microUsdc, USDC_DECIMALS);
}

type Fetch = NonNullable<ClientOptions['fetch']>;

/**
 * R-delay: responds immediately to a request for the result of a delayed order. A venue answers
 * once the order is released, or reports it as pending after a timeout. Time does not pass during
 * the bot's turn, so the timeout would never expire.
 */
function answerQueued(fetch: Fetch, venue: ControlledVenue): Fetch {
  return async (...request) => {
    const isConfirmed = String(request[1]?.body ?? '').includes('"confirm":"executed"');
    const fromId = venue.state.outcomes.queue.nextId;
    const answer = fetch(...request);
    if (!isConfirmed) return answer;
    const answered = answer.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([answered, setImmediate(false)]))) {
      const { queue } = venue.state.outcomes;
      const queued =
        queue.size === 0 ? undefined : queue.all().find((each) => each.queueId >= fromId);
      if (queued !== undefined) return pending(queued.txHash);
    }
    return answer;
  };
}

function pending(txHash: Hash): Response {
  return Response.json({ status: 'pending', txHash, traceId: traceId(txHash) }, { status: 202 });
}
