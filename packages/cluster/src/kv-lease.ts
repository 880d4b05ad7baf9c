import { randomUUID } from 'node:crypto';
import { setTimeout as later } from 'node:timers/promises';
import type { KV, KvEntry } from '@nats-io/kv';
import { assert } from '@oddlot/units';
import type { Held, Lease, Start, Stop, Term } from '@oddlot/replica/lease';

/**
 * How long things take, by the clock of whoever looks: the holder says that it is there, ends by itself when it could not
 * say so for a while, and is followed by another only later than that.
 */
const REFRESH_MS = 300;
const LOOK_MS = 200;
const HOLDER_SILENT_MS = 1_200;
const OTHERS_WAIT_MS = 1_800;

type KvLeaseOptions = {
  readonly kv: Pick<KV, 'create' | 'delete' | 'get' | 'update'>;
  /**
   * When the bucket was made, in milliseconds since 1970. Terms are numbered from there: a bucket that was lost and made
   * again counts revisions from 1, and what an earlier term has fenced must not outrank the next one. A bucket has
   * far fewer than 1,000 revisions a second.
   */
  readonly madeMs: number;
  /** Who this is, for those who look at the leases. */
  readonly replica: string;
  /** What was started could not be stopped, or a later start failed: this process can't be relied on. */
  readonly onFatal: (error: unknown) => void;
  readonly onHeld?: (name: string, isHeld: boolean) => void;
  /** False while this process should do nothing that others can: what it holds it lets go of. */
  readonly mayHold?: () => boolean;
};

/** What is stored under a name. */
type Holder = { readonly replica: string; readonly process: string };

/**
 * The leases of a cluster, in a key-value bucket of its NATS servers: one key a name, written by comparing revisions.
 *
 * A process that was frozen still believes what it believed before. So this alone keeps nobody from acting late: what a
 * holder does has to be fenced where it has its effect, by the term that it is given, or by rules of the log and the chain.
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

  /** The names that this process would hold, and whether it does. */
  get held(): ReadonlyMap<string, boolean> {
    return this.#held;
  }

  /** How often a name came to this process or left it. */
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

/** One name, as this process sees it: held here, or watched until it falls to this process. */
class Tenure {
  readonly #options: KvLeaseOptions;
  readonly #parts: TenureParts;
  /** The revision of the last thing that was written or seen under the name, and when that was. */
  #revision = 0;
  #seenMs = 0;
  #heldBy: 'nobody' | 'here' | 'elsewhere' = 'elsewhere';
  /** Of the last term here, whether somebody was told that it is over: who works in it has stopped, and it does not go on. */
  #told = { isOver: false };
  #isEnding = false;
  #running: Promise<void> | undefined;

  constructor(options: KvLeaseOptions, parts: TenureParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Resolves when it is known who holds the name and, if that is this process, what it holds has started. */
  async begin(): Promise<void> {
    while (!(await this.#look())) await later(LOOK_MS);
    if (this.#heldBy === 'here') {
      try {
        await this.#start();
      } catch (error) {
        // Why it did not start says more than why what there was of it did not stop.
        await this.#stop().catch(() => undefined);
        await this.#letGo();
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
    await this.#letGo();
  }

  /** So that the next one need not wait. Where this does not arrive, it waits. */
  async #letGo(): Promise<void> {
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

  /** Looks who holds the name, and takes it when nobody does; false when nobody could be asked. */
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

  /** Free is what nobody ever held, what was let go of, and what nobody has said to hold for a while. */
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
      // Somebody else did, or nobody can be asked: the next look tells.
      return;
    }
    this.#seenMs = askedMs;
    this.#heldBy = 'here';
  }

  async #refresh(): Promise<void> {
    if (!this.#mayHold) {
      await this.#lose();
      await this.#letGo();
      return;
    }
    await this.#renew();
    if (this.#isSilent) await this.#lose();
    else if (this.#told.isOver) {
      await this.#lose();
      await this.#letGo();
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
      // Taken by another, or nobody can be asked, which comes to the same when it lasts.
    }
  }

  async #lose(): Promise<void> {
    this.#heldBy = 'elsewhere';
    this.#seenMs = performance.now();
    await this.#stop();
  }

  /** A start that takes long would else be one that another begins meanwhile, and then the next one. */
  async #start(): Promise<void> {
    this.#parts.onHeld(true);
    const told = { isOver: false };
    this.#told = told;
    const isOver = (): boolean => (told.isOver ||= this.#told !== told || this.#isOver);
    const end = (): void => void (told.isOver = true);
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

  /** True as soon as another could hold the name, even where the timers of this process did not run. */
  get #isOver(): boolean {
    return this.#heldBy !== 'here' || this.#isSilent;
  }

  get #isSilent(): boolean {
    return performance.now() - this.#seenMs > HOLDER_SILENT_MS;
  }
}
