import { TokenBuckets } from '@oddlot/host/ports';
import { refused } from '../core/rpc-error.ts';

/**
 * What strangers may have the chain keep for ever. Gas costs next to nothing here, and a transaction can leave
 * megabytes behind, on the disk that the venue lives on and in memory. Each client has so many bytes, which come back slowly; and when
 * all of it is a lot, only the venue itself goes on.
 */

export type WriteLimits = {
  readonly bytesAtOnce: number;
  readonly bytesPerSecond: number;
  /** Of the chain's file. */
  readonly bytesInAll: number;
};

const MIB = 1024 * 1024;

/** A deposit leaves about four kilobytes. */
const WRITE_LIMITS: WriteLimits = {
  bytesAtOnce: 64 * MIB,
  bytesPerSecond: 2 * 1024,
  bytesInAll: 1024 * MIB,
};

export class ClientWrites {
  readonly #limits: WriteLimits;
  readonly #now: () => number;
  /** In bytes. */
  readonly #left: TokenBuckets;

  constructor(limits: WriteLimits = WRITE_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#left = new TokenBuckets(
      { perSecond: limits.bytesPerSecond, burst: limits.bytesAtOnce },
      now(),
    );
  }

  /** Refuses who has nothing left, and everybody when there is a lot. */
  check(client: string, fileBytes: number): void {
    if (fileBytes >= this.#limits.bytesInAll)
      throw refused(`this chain is full: it has ${fileBytes} bytes`);
    const left = this.#left.find(client)?.left(this.#now()) ?? this.#limits.bytesAtOnce;
    if (left <= 0) throw refused('too much data was written from your address; try again later');
  }

  /** Counts what is written meanwhile; nobody knows it before, so it may be more than what was left. */
  async count<Result>(
    client: string,
    fileBytes: () => number,
    run: () => Promise<Result>,
  ): Promise<Result> {
    const before = fileBytes();
    try {
      return await run();
    } finally {
      // Where the file was written anew it has become shorter.
      const written = Math.max(0, fileBytes() - before);
      const nowMs = this.#now();
      this.#left.of(client, nowMs).spend(written, nowMs);
    }
  }
}
