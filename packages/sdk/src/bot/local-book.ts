import type { L2Diff, Level, LevelTuple } from '@oddlot/protocol';
import { callApart } from '../errors.ts';
import type { StreamsClient } from '../streams/create-streams.ts';
import type { Subscription } from '../streams/subscription.ts';
import type { StreamEvent } from '../transport/stream.ts';

/** The number of levels per side that the venue's checksum covers. */
const CHECKED_LEVELS = 20;

/** Options for a `LocalBook`. */
export type LocalBookOptions = {
  /** Called after every change. */
  readonly onChange?: ((book: LocalBook) => void) | undefined;
  /** Called if the book differs from the venue's and is reloaded, which should never happen. */
  readonly onMismatch?: ((book: LocalBook) => void) | undefined;
};

/**
 * The whole book of an instrument, updated from the `l2Diff` channel and verified with the venue's
 * checksum after each change. Before the first frame and after a reset, the book is empty and
 * `isReady` is false.
 */
export class LocalBook {
  readonly #streams: StreamsClient;
  readonly #coin: string;
  readonly #options: LocalBookOptions;
  #bids = new Map<string, Level>();
  #asks = new Map<string, Level>();
  #stream: Subscription<L2Diff>;
  #isReady = false;
  #height: number | undefined;

  constructor(
    { streams }: { readonly streams: StreamsClient },
    instrumentId: number,
    options: LocalBookOptions = {},
  ) {
    this.#streams = streams;
    this.#coin = String(instrumentId);
    this.#options = options;
    this.#stream = this.#subscribe();
  }

  /** Resolves when the venue has accepted the subscription. */
  get ready(): Promise<void> {
    return this.#stream.ready;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Returns the block height of the current state. */
  get height(): number | undefined {
    return this.#height;
  }

  /** Returns the bids, best first. */
  get bids(): readonly Level[] {
    return sorted(this.#bids, -1);
  }

  /** Returns the asks, best first. */
  get asks(): readonly Level[] {
    return sorted(this.#asks, 1);
  }

  close(): void {
    this.#stream.close();
    this.#forget();
  }

  #subscribe(): Subscription<L2Diff> {
    return this.#streams.l2Diff({ coin: this.#coin }, (event) => this.#took(event));
  }

  #took(event: StreamEvent<L2Diff>): void {
    if (event.type === 'reset') {
      this.#forget();
    } else {
      const { data, isSnapshot, height } = event;
      if (isSnapshot || data.isSnapshot === true) this.#forget();
      apply(this.#bids, data.bids);
      apply(this.#asks, data.asks);
      this.#height = height;
      this.#isReady = true;
      if (checksumOf(this.bids, this.asks) !== data.checksum) {
        this.#readAnew();
        return;
      }
    }
    if (this.#options.onChange !== undefined) callApart(this.#options.onChange, this);
  }

  /** Requests the whole book again, because later changes do not include the missed ones. */
  #readAnew(): void {
    this.#stream.close();
    this.#forget();
    if (this.#options.onMismatch !== undefined) callApart(this.#options.onMismatch, this);
    this.#stream = this.#subscribe();
  }

  #forget(): void {
    this.#bids = new Map();
    this.#asks = new Map();
    this.#isReady = false;
  }
}

/**
 * Computes the checksum of the top levels: at each rank, the bid's price and size come before the
 * ask's.
 */
function checksumOf(bids: readonly Level[], asks: readonly Level[]): number {
  const parts: string[] = [];
  for (let rank = 0; rank < CHECKED_LEVELS; rank++) {
    for (const level of [bids[rank], asks[rank]]) {
      if (level !== undefined) parts.push(`${level.px}:${level.sz}`);
    }
  }
  return parts.length === 0 ? 0 : crc32(parts.join(':'));
}

function apply(side: Map<string, Level>, changes: readonly LevelTuple[]): void {
  for (const [px, sz, n] of changes) {
    if (sz === '0') side.delete(px);
    else side.set(px, { px, sz, n });
  }
}

/** Prices have few digits, so comparing them as numbers is exact. */
function sorted(side: ReadonlyMap<string, Level>, direction: 1 | -1): Level[] {
  return [...side.values()].sort((a, b) => direction * (Number(a.px) - Number(b.px)));
}

/** Computes the CRC-32 of an ASCII string, as zlib does. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
