import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import type { KV, KvEntry } from '@nats-io/kv';
import { assert } from '@oddlot/units';
import type { Held, Lease, Start, Stop, Term } from '@oddlot/replica/lease';

/**
 * Intervals, measured by the clock of each process. The holder renews its lease, and stops its task
 * if it has been unable to renew it for a while; another process takes over only after a longer
 * time.
 */
const REFRESH_MS = 300;
const LOOK_MS = 200;
const HOLDER_SILENT_MS = 1_200;
const OTHERS_WAIT_MS = 1_800;

type KvLeaseOptions = {
  readonly kv: Pick<KV, 'create' | 'delete' | 'get' | 'update'>;
  /**
   * The time at which the bucket was created, in milliseconds since 1970. Term numbers start from
   * it: a bucket that was lost and recreated counts revisions from 1, but its terms must be greater
   * than all earlier ones, because the terms fence side effects. A bucket has far fewer than 1,000
   * revisions per second.
   */
  readonly madeMs: number;
  readonly replica: string;
  /**
   * Called if a task could not be stopped or a later start failed; this process is then no longer
   * reliable.
   */
  readonly onFatal: (error: unknown) => void;
  readonly onHeld?: (name: string, isHeld: boolean) => void;
  /**
   * Returns false while this process should leave all tasks to others; it then releases its leases.
   */
  readonly mayHold?: () => boolean;
};

type Holder = { readonly replica: string; readonly process: string };

/**
 * A cluster's leases in a key-value bucket on its NATS servers: one key per name, written by
 * comparing revisions. A process that was frozen resumes with its old view, so leases alone do not
 * prevent late actions. The side effects of a holder must be fenced where they take effect, by the
 * number of its term or by rules of the log and the chain.
 */
export class KvLease implements Lease {
  readonly #options: KvLeaseOptions;
  readonly #process = randomUUID();
  readonly #names = new Set<string>();
  readonly #held = new Map<string, boolean>();
  #changes = 0;

  constructor(options: KvLeaseOptions) {
    this.#options = options;
  }

  /** The names this process competes for, and whether it holds them. */
  get held(): ReadonlyMap<string, boolean> {
    return this.#held;
  }

  get changes(): number {
    return this.#changes;
  }

  async hold(name: string, start: Start, stop: Stop): Promise<Held> {
    assert(!this.#names.has(name), `${name} is already held`);
    this.#names.add(name);
    this.#held.set(name, false);
    const tenure = new Tenure(this.#options, {
      key: name.replaceAll(' ', '-'),
      value: JSON.stringify({
        replica: this.#options.replica,
        process: this.#process,
      } satisfies Holder),
      holder: `${this.#options.replica} ${this.#process}`,
      start,
      stop,
      onHeld: (isHeld) => {
        this.#held.set(name, isHeld);
        this.#changes += 1;
        this.#options.onHeld?.(name, isHeld);
      },
    });
    try {
      await tenure.begin();
    } catch (error) {
      this.#names.delete(name);
      throw error;
    }
    let released: Promise<void> | undefined;
    const release = async (): Promise<void> => {
      await tenure.end();
      this.#names.delete(name);
    };
    return { release: () => (released ??= release()) };
  }
}

type TenureParts = {
  readonly key: string;
  readonly value: string;
  readonly holder: string;
  readonly start: Start;
  readonly stop: Stop;
  readonly onHeld: (isHeld: boolean) => void;
};

/** The state of one name in this process, which either holds the name or waits to acquire it. */
class Tenure {
  readonly #options: KvLeaseOptions;
  readonly #parts: TenureParts;
  /** The revision last written or seen under the name, and when that happened. */
  #revision = 0;
  #seenMs = 0;
  #heldBy: 'nobody' | 'here' | 'elsewhere' = 'elsewhere';
  /**
   * Set when a caller has learned that the last term here has ended. Work in that term has stopped,
   * so the term must not continue.
   */
  #termEnd = { isOver: false };
  #isEnding = false;
  #running: Promise<void> | undefined;

  constructor(options: KvLeaseOptions, parts: TenureParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Resolves when the holder is known and, if it is this process, when the task has started. */
  async begin(): Promise<void> {
    while (!(await this.#look())) await later(LOOK_MS);
    if (this.#heldBy === 'here') {
      try {
        await this.#start();
      } catch (error) {
        // The error from the failed start is more useful than an error from stopping it.
        await this.#stop().catch(() => undefined);
        await this.#releaseName();
        throw error;
      }
    }
    this.#running = this.#run();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
    if (this.#heldBy !== 'here') return;
    await this.#stop();
    await this.#releaseName();
  }

  /**
   * Releases the name so that the next holder need not wait. If the release is lost, the next
   * holder waits for the timeout.
   */
  async #releaseName(): Promise<void> {
    const { key } = this.#parts;
    await this.#options.kv.delete(key, { previousSeq: this.#revision }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      await later(this.#heldBy === 'here' ? REFRESH_MS : LOOK_MS);
      if (this.#isEnding) return;
      try {
        if (this.#heldBy === 'here') await this.#refresh();
        else if ((await this.#look()) && this.#isHere) await this.#start();
      } catch (error) {
        this.#options.onFatal(error);
        return;
      }
    }
  }

  get #isHere(): boolean {
    return this.#heldBy === 'here';
  }

  get #mayHold(): boolean {
    return this.#options.mayHold?.() ?? true;
  }

  /**
   * Reads the holder of the name and acquires a free name. Returns false if no server responded.
   */
  async #look(): Promise<boolean> {
    const { kv } = this.#options;
    const { key, value } = this.#parts;
    try {
      const entry = await kv.get(key);
      if (this.#isFree(entry) && this.#mayHold) await this.#take(entry, value);
      return true;
    } catch {
      return false;
    }
  }

  /** A name is free if it was never held, was released, or was not renewed for a while. */
  #isFree(entry: KvEntry | null): boolean {
    if (entry === null || entry.operation !== 'PUT') return true;
    if (entry.revision !== this.#revision) {
      this.#revision = entry.revision;
      this.#seenMs = performance.now();
      return false;
    }
    return performance.now() - this.#seenMs > OTHERS_WAIT_MS;
  }

  async #take(entry: KvEntry | null, value: string): Promise<void> {
    const { kv } = this.#options;
    const { key } = this.#parts;
    const askedMs = performance.now();
    try {
      this.#revision =
        entry === null ? await kv.create(key, value) : await kv.update(key, value, entry.revision);
    } catch {
      // Another process acquired the name, or no server responded; the next attempt shows which.
      return;
    }
    this.#seenMs = askedMs;
    this.#heldBy = 'here';
  }

  async #refresh(): Promise<void> {
    if (!this.#mayHold) {
      await this.#lose();
      await this.#releaseName();
      return;
    }
    await this.#renew();
    if (this.#isSilent) await this.#lose();
    else if (this.#termEnd.isOver) {
      await this.#lose();
      await this.#releaseName();
    }
  }

  async #renew(): Promise<void> {
    const { kv } = this.#options;
    const { key, value } = this.#parts;
    const askedMs = performance.now();
    try {
      this.#revision = await kv.update(key, value, this.#revision, HOLDER_SILENT_MS / 2);
      this.#seenMs = askedMs;
    } catch {
      // Either another process holds the name, or no server responds, which has the same effect if
      // it lasts.
    }
  }

  async #lose(): Promise<void> {
    this.#heldBy = 'elsewhere';
    this.#seenMs = performance.now();
    await this.#stop();
  }

  /**
   * Starts the task and renews the lease during the start; otherwise another process would start
   * the task during a slow start.
   */
  async #start(): Promise<void> {
    this.#parts.onHeld(true);
    const termEnd = { isOver: false };
    this.#termEnd = termEnd;
    const isOver = (): boolean => (termEnd.isOver ||= this.#termEnd !== termEnd || this.#isOver);
    const end = (): void => void (termEnd.isOver = true);
    const number = this.#options.madeMs + this.#revision;
    const term = { number, holder: this.#parts.holder, isOver, end };
    const started = this.#begun(term);
    const settled = started.then(
      () => 'settled',
      () => 'settled',
    );
    while ((await Promise.race([settled, later(REFRESH_MS, 'later')])) === 'later') {
      await this.#renew();
    }
    await started;
  }

  async #begun(term: Term): Promise<void> {
    await this.#parts.start(term);
  }

  async #stop(): Promise<void> {
    this.#parts.onHeld(false);
    await this.#parts.stop();
  }

  /**
   * True as soon as another process could hold the name, even if the timers of this process did not
   * run.
   */
  get #isOver(): boolean {
    return this.#heldBy !== 'here' || this.#isSilent;
  }

  get #isSilent(): boolean {
    return performance.now() - this.#seenMs > HOLDER_SILENT_MS;
  }
}
