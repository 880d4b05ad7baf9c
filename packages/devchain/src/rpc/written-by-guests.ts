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
export const WRITE_LIMITS: WriteLimits = {
  bytesAtOnce: 64 * MIB,
  bytesPerSecond: 2 * 1024,
  bytesInAll: 1024 * MIB,
};

type Account = { left: number; atMs: number };

export class WrittenByGuests {
  readonly #limits: WriteLimits;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: WriteLimits = WRITE_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Refuses who has nothing left, and everybody when there is a lot. */
  check(client: string, fileBytes: number): void {
    if (fileBytes >= this.#limits.bytesInAll)
      throw refused(`this chain is full: it holds ${fileBytes} bytes`);
    if (this.#account(client).left <= 0)
      throw refused('too much was written from your address: try again later');
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
      this.#account(client).left -= Math.max(0, fileBytes() - before);
    }
  }

  #account(client: string): Account {
    const { bytesAtOnce, bytesPerSecond } = this.#limits;
    const nowMs = this.#now();
    const fresh = { left: bytesAtOnce, atMs: nowMs };
    const account = this.#accounts.get(client) ?? fresh;
    const earned = ((nowMs - account.atMs) * bytesPerSecond) / 1000;
    account.left = Math.min(bytesAtOnce, account.left + earned);
    account.atMs = nowMs;
    this.#accounts.set(client, account);
    if (this.#accounts.size > CLIENTS_MAX) this.#forgetFull(nowMs);
    return account;
  }

  /** Of whom has everything again nothing need be known. */
  #forgetFull(nowMs: number): void {
    const { bytesAtOnce, bytesPerSecond } = this.#limits;
    for (const [client, { atMs, left }] of this.#accounts) {
      if (left + ((nowMs - atMs) * bytesPerSecond) / 1000 >= bytesAtOnce)
        this.#accounts.delete(client);
    }
  }
}

/** Beyond, those who have everything are forgotten; each of the others has paid for a transaction. */
const CLIENTS_MAX = 10_000;
