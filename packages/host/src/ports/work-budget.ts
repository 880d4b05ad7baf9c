import { clientKey } from './client-ip.ts';

/**
 * What one client may cost the main thread, in milliseconds of its time. Requests are counted
 * elsewhere; this counts what they take, so that a few that are dear don't crowd out many that are
 * cheap. Nobody knows the cost before: a client whose account is not empty may ask, and goes into
 * debt by what it took.
 */

export type WorkLimits = {
  /** Milliseconds of work per second; `Infinity` switches it off. */
  readonly msPerSecond: number;
  /** What a client that was idle may take at once. */
  readonly msBurst: number;
};

export const WORK_LIMITS: WorkLimits = { msPerSecond: 250, msBurst: 500 };

const WINDOW_MS_MIN = 1000;
/** What is sent costs as well, though most of it is spent where it can't be measured per client. */
const BYTES_PER_MS = 500_000;

/** What it takes to send so many bytes, in milliseconds. */
export function sendingMs(bytes: number): number {
  return bytes / BYTES_PER_MS;
}

type Account = {
  leftMs: number;
  atMs: number;
  /** What it was spent on since it was full, in milliseconds. */
  readonly on: Map<string, number>;
};

/** A client that has to wait, and what has cost it most. */
export type Debt = { readonly waitSeconds: number; readonly what: string; readonly ms: number };

/** What is left of a client's account. */
export type WorkLeft = {
  readonly msPerSecond: number;
  readonly remainingMs: number;
  /** Until it is full. */
  readonly resetMs: number;
};

/** Kinds of work that are told apart; the names are the venue's own, so there are few. */
const KINDS_MAX = 100;

export class WorkBudget {
  readonly #limits: WorkLimits;
  readonly #now: () => number;
  #recent = new Map<string, Account>();
  #older = new Map<string, Account>();
  #turnedMs: number;

  constructor(limits: WorkLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#turnedMs = now();
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Undefined where a client may ask. */
  debt(client: string): Debt | undefined {
    const waitSeconds = this.waitSeconds(client);
    if (waitSeconds === 0) return undefined;
    let [what, ms] = ['the requests of this client', 0];
    for (const [each, cost] of this.#find(client)?.on ?? []) {
      if (cost > ms) [what, ms] = [each, cost];
    }
    return { waitSeconds, what, ms: Math.ceil(ms) };
  }

  /** Undefined where nobody is limited. */
  left(client: string): WorkLeft | undefined {
    const { msBurst, msPerSecond } = this.#limits;
    if (msPerSecond === Infinity) return undefined;
    const account = this.#find(client);
    const leftMs = account === undefined ? msBurst : this.#leftAt(account, this.#now());
    const resetMs = ((msBurst - leftMs) * 1000) / msPerSecond;
    return { msPerSecond, remainingMs: Math.max(0, leftMs), resetMs };
  }

  /** Whole seconds until a client may ask again; 0 when it may now. */
  waitSeconds(client: string): number {
    const waitMs = this.waitMs(client);
    return waitMs === 0 ? 0 : Math.max(1, Math.ceil(waitMs / 1000));
  }

  /** The same in milliseconds, for work that goes on by itself. */
  waitMs(client: string): number {
    if (this.#limits.msPerSecond === Infinity) return 0;
    const account = this.#find(client);
    if (account === undefined) return 0;
    const leftMs = this.#leftAt(account, this.#now());
    return leftMs > 0 ? 0 : Math.max(1, (-leftMs * 1000) / this.#limits.msPerSecond);
  }

  /** A client took so much, for what. */
  spend(client: string, ms: number, what = 'a subscription'): void {
    if (this.#limits.msPerSecond === Infinity) return;
    const nowMs = this.#now();
    this.#turn(nowMs);
    const id = clientKey(client);
    let account = this.#recent.get(id);
    if (account === undefined) {
      account = this.#older.get(id) ?? { leftMs: this.#limits.msBurst, atMs: nowMs, on: new Map() };
      this.#older.delete(id);
      this.#recent.set(id, account);
    }
    const leftMs = this.#leftAt(account, nowMs);
    if (leftMs >= this.#limits.msBurst || account.on.size >= KINDS_MAX) account.on.clear();
    account.on.set(what, (account.on.get(what) ?? 0) + ms);
    account.leftMs = leftMs - ms;
    account.atMs = nowMs;
  }

  #find(client: string): Account | undefined {
    const id = clientKey(client);
    return this.#recent.get(id) ?? this.#older.get(id);
  }

  #leftAt({ atMs, leftMs }: Account, nowMs: number): number {
    const { msBurst, msPerSecond } = this.#limits;
    return Math.min(msBurst, leftMs + ((nowMs - atMs) * msPerSecond) / 1000);
  }

  /** Forgets who is full again; what a debtor owes goes on. */
  #turn(nowMs: number): void {
    const { msBurst, msPerSecond } = this.#limits;
    const windowMs = Math.max(WINDOW_MS_MIN, (msBurst * 1000) / msPerSecond);
    if (nowMs - this.#turnedMs < windowMs) return;
    const debtors = [...this.#older].filter(
      ([, account]) => this.#leftAt(account, nowMs) < msBurst,
    );
    this.#older = new Map([...debtors, ...this.#recent]);
    this.#recent = new Map();
    this.#turnedMs = nowMs;
  }
}

/** Runs something and tells what it took of this thread; waiting for others is not counted. */
export function measured<Value>(run: () => Value, spend: (ms: number) => void): Value {
  const before = process.threadCpuUsage();
  try {
    return run();
  } finally {
    const { system, user } = process.threadCpuUsage(before);
    spend((system + user) / 1000);
  }
}
