import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import {
  type Command,
  type CommandResult,
  nextDueMs,
  type PerpDefinition,
  perpDefinitions,
  perpView,
  type State,
} from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { type Lease, LocalLease } from '@oddlot/replica/lease';
import { CURSOR_KEY_BYTES } from '@oddlot/translate/cursor-seal';
import { type OpenedVenue, openVenue, readConfig, THREADS_HERE } from '@oddlot/venue/testkit';
import { type Duration, durationMs } from './duration.ts';
import { Prices, type PricesMoment } from './prices.ts';
import { seededBytes } from './seeded-wallet.ts';
import type { StartVenueOptions } from './start-venue-options.ts';
import type { TestChain } from './test-chain.ts';
import { tmpdir } from 'node:os';
import type { TimeSource } from '@oddlot/host/clock';

/** A point in time to which a venue can be reverted any number of times. */
export type Snapshot = { readonly height: number; readonly timeMs: number };

type BlockListener = Parameters<OpenedVenue['replica']['onBlock']>[0];

type StoredImage = { readonly image: string; readonly prices: PricesMoment };

const START = '2026-01-01T00:00:00Z';
/** The sampling interval of the premium, in milliseconds. */
const STEP_MS = 5_000;
/** The step in milliseconds while no sample could have a premium. */
const CALM_STEP_MS = 60_000;
const GENESIS_MS = 1_000;
/** The URL of a venue without ports. */
const NOWHERE = 'http://127.0.0.1';
/** These flags disable services that slow down the start or follow the machine's clock. */
const LEAN = ['--network', 'testnet', '--no-relay', '--no-bots'];
const NO_CHAIN = ['--chain', 'none'];
const QUIET = ['--oracle', 'still', '--recover-workers', '1', '--ops-port', '0'];

/**
 * A venue's parts and data folder, which can be closed and reopened. The test controls time and
 * prices.
 *
 * @internal
 */
export class ControlledVenue {
  readonly prices = new Prices(() => this.state);
  readonly #seed: string;
  readonly #options: StartVenueOptions;
  readonly #flags: readonly string[];
  readonly #folder: VenueFolder;
  readonly #startMs: number;
  readonly #clock: HandClock;
  readonly #storedImages = new Map<Snapshot, StoredImage>();
  readonly #listeners: BlockListener[] = [];
  /** True if the log stays in memory and no history exists until either is needed. */
  readonly #isDeferred: boolean;
  #opened: OpenedVenue | undefined;
  #chain: TestChain | undefined;
  #port = 0;
  #hyperliquidPort = 0;
  #fatal: Error | undefined;

  constructor(
    seed: string,
    options: StartVenueOptions,
    { flags, isDeferred }: { readonly flags: readonly string[]; readonly isDeferred: boolean },
  ) {
    this.#seed = seed;
    this.#isDeferred = isDeferred;
    this.#options = options;
    this.#flags = flags;
    const { hyperliquid } = options;
    this.#hyperliquidPort = typeof hyperliquid === 'number' ? hyperliquid : 0;
    this.#startMs = startMs(options.time ?? START);
    this.#clock = new HandClock(this.#startMs - GENESIS_MS);
    // The folder is created after all checks, so invalid options leave no folder behind.
    this.#folder = new VenueFolder();
    const cursors = seededBytes(seed, 'cursors').subarray(0, CURSOR_KEY_BYTES);
    const hex = cursors.toString('hex');
    writeFileSync(join(this.#folder.data, 'cursor-key'), hex, { mode: 0o600 });
  }

  get nowMs(): number {
    return this.#clock.nowMs;
  }

  get url(): string {
    return this.#port === 0 ? NOWHERE : `${NOWHERE}:${this.#port}`;
  }

  get hyperliquidUrl(): string {
    if (this.#hyperliquidPort !== 0) return `${NOWHERE}:${this.#hyperliquidPort}`;
    throw new Error('this venue has no such port. Start it with { hyperliquid: true }');
  }

  /** The server. Undefined while the venue is not open. */
  get server(): Server | undefined {
    return this.#opened?.http.server;
  }

  get state(): State {
    return this.#running.replica.state;
  }

  get head(): OpenedVenue['replica']['head'] {
    return this.#running.replica.head;
  }

  /** Registers a function to be called after each new block, even after a restart. */
  onBlock(listener: BlockListener): void {
    this.#listeners.push(listener);
    this.#running.replica.onBlock(listener);
  }

  /**
   * Opens the venue and creates a first block before the start time, because nonces must be later
   * than that block (R-nonce).
   */
  async begin(): Promise<void> {
    if (this.#options.chain === true) await this.#openChain();
    await this.open();
    this.#clock.set(this.#startMs);
    await this.beat();
  }

  get chain(): TestChain {
    if (this.#chain !== undefined) return this.#chain;
    throw new Error('this venue has no chain. Start it with { chain: true }');
  }

  async #openChain(): Promise<void> {
    // The chain is loaded on demand, because loading the EVM takes as long as loading all other
    // modules together.
    const { TestChain: Chain } = await import('./test-chain.ts');
    const now = (): number => this.nowMs;
    this.#chain = await Chain.open({ directory: this.#folder.beside, seed: this.#seed, now });
  }

  async open(): Promise<void> {
    const { flags = [], hyperliquid = false, limits = false, threads = 'here' } = this.#options;
    const access = ['--port', String(this.#port), '--data', this.#folder.data];
    if (hyperliquid !== false) access.push('--hyperliquid', String(this.#hyperliquidPort));
    const limited = limits ? [] : ['--no-limits'];
    const page = this.#options.page === true ? [] : ['--no-web'];
    const lean = [...LEAN, ...(this.#chain?.flags ?? NO_CHAIN), ...page, ...QUIET, ...limited];
    const config = readConfig([...lean, ...access, ...this.#flags, ...flags], {});
    if (config.network !== 'testnet') {
      throw new RangeError(
        'a venue with a controlled clock and controlled prices cannot run on mainnet',
      );
    }
    this.#opened = await openVenue(config, {
      log: createLogger({ level: 'fatal' }),
      onFatal: (error) => this.#fail(error),
      lease: new LeaseInHand(),
      time: this.#clock,
      isDeferred: this.#isDeferred,
      ...(threads === 'here' ? { threads: THREADS_HERE } : {}),
    });
    for (const listener of this.#listeners) this.#opened.replica.onBlock(listener);
    if (this.#options.ports === true || hyperliquid !== false) await this.#listen(this.#opened);
  }

  async #listen(opened: OpenedVenue): Promise<void> {
    const { hyperliquidUrl, url } = await opened.listen();
    this.#port = portOf(url);
    if (hyperliquidUrl !== undefined) this.#hyperliquidPort = portOf(hyperliquidUrl);
  }

  /** Stops accepting requests, completes pending work, and releases the folder. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.stop();
  }

  async remove(): Promise<void> {
    await this.close();
    await this.#chain?.close();
    this.#storedImages.clear();
    this.#folder.remove();
  }

  /** Executes the venue's own commands in one block, and returns their results. */
  async execute(commands: readonly Command[]): Promise<readonly CommandResult[]> {
    const { replica } = this.#running;
    if (commands.length === 0) await replica.tick();
    const executed = await Promise.all(commands.map((command) => replica.propose(command)));
    if (this.#fatal !== undefined) throw this.#fatal;
    return executed.map(({ outcome }) => outcome);
  }

  /** Creates a block at the current time with the current prices. */
  async beat(): Promise<void> {
    await this.execute(this.prices.commands(this.state, this.nowMs));
  }

  /** Advances time block by block. Due work gets a block at its exact time. */
  async advance(duration: Duration, step: Duration | undefined = this.#options.step) {
    const untilMs = this.nowMs + durationMs(duration);
    const givenMs = step === undefined ? undefined : durationMs(step);
    if (givenMs === 0) throw new RangeError('a step must be longer than zero');
    for (let isFirst = true; this.nowMs < untilMs; isFirst = false) {
      // An hour without a sample pays no funding. The first step is short so that an hour that has
      // just started gets its first sample.
      const longMs = isFirst ? STEP_MS : (givenMs ?? (this.#isCalm ? CALM_STEP_MS : STEP_MS));
      const stepMs = Math.min(longMs, givenMs ?? Infinity);
      const dueMs = nextDueMs(this.state) ?? Infinity;
      const nextMs = this.nowMs - (this.nowMs % stepMs) + stepMs;
      // Work that is already due is left to the next block at the same time.
      if (dueMs > this.nowMs) this.#clock.set(Math.min(untilMs, nextMs, dueMs));
      await this.beat();
    }
    while ((nextDueMs(this.state) ?? Infinity) <= this.nowMs) await this.beat();
  }

  /** Advances to a point in time. The caller creates the block for that time. */
  async approach(timeMs: number, stepMs: number): Promise<void> {
    for (;;) {
      const nextMs = Math.min(nextDueMs(this.state) ?? Infinity, this.nowMs + stepMs);
      if (nextMs >= timeMs) break;
      this.#clock.set(Math.max(nextMs, this.nowMs));
      await this.beat();
    }
    this.#clock.set(Math.max(timeMs, this.nowMs));
  }

  /**
   * True if a long step has the same result, because prices are constant, no premium has to be
   * sampled (R-funding), and no series uses the prices (R-series).
   */
  get #isCalm(): boolean {
    const { state } = this;
    // A book away from the oracle price has a premium once the mark has followed it.
    const hasPremium = ({ instrumentId }: PerpDefinition): boolean => {
      const { bestAsk = Infinity, bestBid = 0, oracle } = perpView(state, instrumentId) ?? {};
      return oracle !== undefined && (bestBid > oracle || bestAsk < oracle);
    };
    const isMoving = this.prices.isScripted || state.outcomes.series.size > 0;
    return !isMoving && !perpDefinitions(state).some(hasPremium);
  }

  /** Resolves when the history includes all blocks. */
  async settled(): Promise<void> {
    const { indexer, replica } = this.#running;
    const { height: minHeight } = replica.head;
    await indexer.ask('blocks', { limit: 1 }, { minHeight });
  }

  async snapshot(): Promise<Snapshot> {
    // With this snapshot, a venue started from the copy has nothing to replay.
    await this.#running.indexer.snapshot();
    await this.settled();
    const { height, timeMs } = this.head;
    const snapshot = { height, timeMs: Math.max(timeMs, this.nowMs) };
    this.#storedImages.set(snapshot, { image: this.#folder.copy(), prices: this.prices.moment() });
    return snapshot;
  }

  async revert(snapshot: Snapshot): Promise<void> {
    const stored = this.#storedImages.get(snapshot);
    if (stored === undefined) throw new RangeError('this snapshot belongs to another venue');
    await this.close();
    this.#folder.goBackTo(stored.image);
    this.prices.goBackTo(stored.prices);
    this.#clock.set(snapshot.timeMs);
    await this.open();
  }

  /**
   * Stops and restarts the venue. If it is killed, the restart uses the data that was on disk at
   * that moment.
   */
  async restart({ isKilled }: { readonly isKilled: boolean }): Promise<void> {
    await this.#running.store();
    const image = isKilled ? this.#folder.copy() : undefined;
    await this.close();
    if (image !== undefined) {
      this.#folder.goBackTo(image);
      this.#folder.forget(image);
    }
    await this.open();
  }

  get #running(): OpenedVenue {
    if (this.#fatal !== undefined) throw this.#fatal;
    if (this.#opened === undefined) throw new Error('the venue is not running');
    return this.#opened;
  }

  /** Makes all subsequent calls fail. A real venue would exit here. */
  #fail(error: unknown): void {
    this.#fatal ??= new Error('the venue failed', { cause: error });
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function startMs(time: number | string | Date): number {
  const ms = new Date(time).getTime();
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new RangeError(`Invalid time "${String(time)}". Use milliseconds, a Date or ISO 8601`);
}

/** An in-memory folder on Linux. */
const MEMORY = '/dev/shm';
/**
 * The in-memory folder is used only if this much space is free, because a container may have little
 * memory.
 */
const MEMORY_BYTES_MIN = 256 * 1024 * 1024;

/** One test venue's data and earlier copies of it, deleted at the end. */
class VenueFolder {
  readonly #root = mkdtempSync(join(placeInMemory() ?? tmpdir(), 'oddlot-testkit-'));
  #images = 0;

  constructor() {
    mkdirSync(this.data);
  }

  get data(): string {
    return join(this.#root, 'data');
  }

  /** A folder for files that do not belong to the venue and are not copied. */
  get beside(): string {
    return join(this.#root, 'beside');
  }

  /**
   * Copies the data. If a writer is active, the copy contains what would be left if the venue were
   * killed.
   */
  copy(): string {
    this.#images += 1;
    const image = join(this.#root, `image-${this.#images}`);
    cpSync(this.data, image, { recursive: true });
    return image;
  }

  /** Restores a copy. The data must not be open. */
  goBackTo(image: string): void {
    rmSync(this.data, { recursive: true });
    cpSync(image, this.data, { recursive: true });
  }

  forget(image: string): void {
    rmSync(image, { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function placeInMemory(): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : undefined;
  } catch {
    // Only Linux has this folder.
    return undefined;
  }
}

/** The host's clocks, which advance only on request. */
class HandClock implements TimeSource {
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  set(timeMs: number): void {
    this.#nowMs = timeMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  bootMs(): number {
    return this.#nowMs;
  }
}

/** Tasks that would create blocks according to the machine's clock. */
const BY_THE_CLOCK: ReadonlySet<string> = new Set(['ticker', 'oracle']);

/** Runs all singleton tasks except time and prices, which the test controls. */
class LeaseInHand implements Lease {
  readonly #lease = new LocalLease();

  hold(...[name, start, stop]: Parameters<Lease['hold']>): ReturnType<Lease['hold']> {
    if (!BY_THE_CLOCK.has(name)) return this.#lease.hold(name, start, stop);
    return Promise.resolve({ release: () => Promise.resolve() });
  }
}
