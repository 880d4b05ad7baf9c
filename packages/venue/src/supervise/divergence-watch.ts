import type { Logger } from '@oddlot/host/log';
import { refusal } from '@oddlot/protocol';
import type { Restriction } from '@oddlot/api/admission-guard';
import type { HashVerdict } from '@oddlot/replica/attestations';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder, writeFully, writeWholeFile, writeWholeFileBy } from '@oddlot/host/durable';
import { VERSION } from '@oddlot/host/version';
import type { LogEntry } from '@oddlot/replica/block';
import type { Log } from '@oddlot/replica/log/log';
import { SnapshotStore } from '@oddlot/replica/log/checked-stores';
import type { LocalReplica } from '@oddlot/replica/local-replica';
import { encodeSnapshot } from '@oddlot/replica/snapshot-codec';

/** Votes arrive within milliseconds, so a tie lasting this long is a real disagreement. */
const SPLIT_MS = 2_000;
/** How long the replica waits for missing votes before it stops, in milliseconds. */
const OUTVOTED_MS = 10_000;
const LOOK_EVERY_MS = 250;

/** Thrown if the state computed by this replica differs from that of the majority. */
export class OutvotedError extends Error {
  override readonly name = 'OutvotedError';
  /**
   * A supervisor should not restart the process after this exit code, because it would continue
   * with the wrong state.
   */
  readonly exitCode = 3;

  constructor({ height, own, votes }: HashVerdict, evidence: string) {
    const others = [...votes].map(([replica, hash]) => `${replica} ${hash}`).join(', ');
    super(
      `This replica has diverged: block ${height} has the hash ${own} here, but the log records ${others}. The evidence for developers ${evidence}. To rejoin, start with an empty data folder.`,
    );
  }
}

type DivergenceOptions = {
  readonly replica: { readonly verdict: HashVerdict };
  readonly present: () => number;
  readonly log: Pick<Logger, 'error' | 'info'>;
  /** Stores the evidence for an investigation and returns its folder. */
  readonly keep: (verdict: HashVerdict) => Promise<string>;
  readonly onFatal: (error: unknown) => void;
};

/**
 * Stops a replica that has computed a different state from the majority. In a tie, it is unknown
 * which half is right, so all replicas reject requests until one is stopped or another replica
 * joins.
 */
export class DivergenceWatch {
  readonly #options: DivergenceOptions;
  #timer: NodeJS.Timeout | undefined;
  #kind: HashVerdict['kind'] = 'agreed';
  #sinceMs = 0;
  #isEnding = false;
  readonly #reported = new Set<string>();

  constructor(options: DivergenceOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the restriction of /exchange while this replica's state may be wrong. */
  restriction(): Restriction | undefined {
    const { height, kind } = this.look();
    const isDoubtful =
      kind === 'outvoted' || (kind === 'split' && performance.now() - this.#sinceMs > SPLIT_MS);
    if (!isDoubtful) return undefined;
    return { stops: 'all', error: refusal('replicasDiffer', [height]) };
  }

  look(): HashVerdict {
    const { replica } = this.#options;
    const { verdict } = replica;
    if (verdict.kind !== this.#kind) {
      this.#kind = verdict.kind;
      this.#sinceMs = performance.now();
      this.#report(verdict);
    }
    this.#reportOthers(verdict);
    if (verdict.kind === 'outvoted' && this.#isDecided(verdict)) void this.#end(verdict);
    return verdict;
  }

  /** Returns true if the missing votes could not change the result. */
  #isDecided({ own, votes }: HashVerdict): boolean {
    if (performance.now() - this.#sinceMs > OUTVOTED_MS) return true;
    const counts = new Map<string, number>();
    for (const hash of votes.values()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    const mine = Math.max(1, counts.get(own) ?? 0);
    counts.delete(own);
    const silent = Math.max(0, this.#options.present() - votes.size);
    return Math.max(...counts.values()) > mine + silent;
  }

  async #end(verdict: HashVerdict): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { keep, log, onFatal } = this.#options;
    const evidence = await keep(verdict).then(
      (folder) => `is in ${folder}`,
      (err: unknown) => {
        log.error({ err }, 'evidence of the divergence could not be saved');
        return 'could not be saved';
      },
    );
    onFatal(new OutvotedError(verdict, evidence));
  }

  #report({ height, kind, own, votes }: HashVerdict): void {
    const { log } = this.#options;
    const facts = { height, own, votes: Object.fromEntries(votes) };
    if (kind === 'agreed') log.info(facts, 'most replicas computed the same state as this one');
    else if (kind === 'split')
      log.error(facts, 'replicas disagree without a majority; no orders accepted');
    else
      log.error(
        facts,
        'most replicas computed a different state than this one; no orders accepted',
      );
  }

  /**
   * Logs which other replica has diverged. That replica stops by itself, but the operators of the
   * other replicas must be informed.
   */
  #reportOthers({ height, kind, own, votes }: HashVerdict): void {
    if (kind !== 'agreed') return;
    for (const [replica, hash] of votes) {
      const key = `${replica} ${height}`;
      if (hash === own || this.#reported.has(key)) continue;
      this.#reported.clear();
      this.#reported.add(key);
      this.#options.log.error({ replica, height, own, hash }, 'replica diverged');
    }
  }
}

/**
 * The maximum number of folders kept. There is a limit because a replica that restarts with the
 * wrong state soon produces more of them.
 */
const FOLDERS_MAX = 3;

type Parts = {
  readonly data: string;
  readonly name: string;
  readonly replica: Pick<LocalReplica, 'head' | 'payload'>;
  readonly log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>;
};

/**
 * Stores the evidence a developer needs to find out why a replica has diverged: the hashes by
 * replica, the block, the current state, and the newest snapshot before the block, from which the
 * log can be reapplied.
 */
export async function keepDivergence(parts: Parts, verdict: HashVerdict): Promise<string> {
  const { data, log, name, replica } = parts;
  const { height, own, votes } = verdict;
  const root = join(data, 'divergence');
  const folder = join(root, `block-${String(height).padStart(16, '0')}`);
  await makeFolder(folder);
  const before = (await new SnapshotStore({ directory: join(data, 'snapshots') }).list()).find(
    (snapshot) => snapshot.height < height,
  );
  if (before !== undefined) await copyOf(before.path, join(folder, basename(before.path)));
  const { hash, height: headHeight } = replica.head;
  const report = {
    replica: name,
    version: VERSION,
    height,
    own,
    votes: Object.fromEntries(votes),
    head: { height: headHeight, hash },
    snapshotBefore: before?.height ?? null,
  };
  writeWholeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  const block = await entryOf(log, height);
  writeWholeFile(join(folder, 'block.json'), `${JSON.stringify(block)}\n`);
  const state = new SnapshotStore({ directory: join(folder, 'state') });
  await state.write({ height: headHeight, pieces: encodeSnapshot(replica.payload()) });
  const folders = (await readdir(root)).toSorted().reverse();
  for (const old of folders.slice(FOLDERS_MAX)) await rm(join(root, old), { recursive: true });
  return folder;
}

async function copyOf(from: string, to: string): Promise<void> {
  await writeWholeFileBy(to, async (handle) => {
    let at = 0;
    for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) {
      await writeFully(handle, piece, at);
      at += piece.length;
    }
  });
}

async function entryOf(log: Parts['log'], seq: number): Promise<LogEntry | null> {
  let found: LogEntry | null = null;
  if (seq < log.firstSeq || seq > log.lastSeq) return null;
  await log.replay(seq, (entry) => (found = entry), { untilSeq: seq, withRequests: true });
  return found;
}
