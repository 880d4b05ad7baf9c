import type { Hash } from '@oddlot/units';
import { attestationIn, ATTESTED_WITHIN_BLOCKS, type LogEntry } from './block.ts';
import type { Log } from './log/log.ts';

type Attestation = { readonly height: number; readonly hash: string; readonly replica: string };

/** The number of heights kept for comparison. Replicas attest every ten seconds. */
const HEIGHTS_MAX = 32;

export type HashVerdict = {
  /** `split` means that equally many replicas have this hash and a different one. */
  readonly kind: 'agreed' | 'split' | 'outvoted';
  readonly height: number;
  readonly own: string;
  readonly votes: ReadonlyMap<string, string>;
};

const NOTHING_KNOWN: HashVerdict = { kind: 'agreed', height: 0, own: '', votes: new Map() };

type Height = { readonly own: string; readonly votes: Map<string, string> };

/**
 * Compares the hashes attested by replicas in the log with those of this replica. The attesting
 * replica can be the one that is wrong, so every replica that sees two hashes of a block also
 * attests its own, and the majority is considered right.
 */
export class Attestations {
  readonly #heights = new Map<number, Height>();

  /**
   * Records an attestation from the log. `own` is undefined for a block that is too old to compare.
   */
  take({ hash, height, replica }: Attestation, own: string | undefined): void {
    if (own === undefined) return;
    const known = this.#heights.get(height) ?? { own, votes: new Map<string, string>() };
    known.votes.set(replica, hash);
    this.#heights.set(height, known);
    if (this.#heights.size <= HEIGHTS_MAX) return;
    this.#heights.delete(Math.min(...this.#heights.keys()));
  }

  wantedOf(replica: string): { readonly height: number; readonly hash: string }[] {
    return [...this.#heights].flatMap(([height, { own, votes }]) =>
      isContested({ own, votes }) && votes.get(replica) !== own ? [{ height, hash: own }] : [],
    );
  }

  /**
   * Judges by the newest contested block. Hashes are chained, so replicas that agree on a block
   * also agree on all earlier ones. A contested block is therefore settled by a later block on
   * which another replica agrees, or by two later uncontested blocks after the disagreeing replicas
   * have stopped attesting.
   */
  verdict(self: string | undefined): HashVerdict {
    const heights = [...this.#heights].toSorted(([a], [b]) => b - a);
    let uncontested = 0;
    for (const [height, known] of heights) {
      if (!isContested(known)) {
        uncontested += 1;
        const isAlike = [...known.votes.keys()].some((replica) => replica !== self);
        if (isAlike || uncontested > 1) return verdictAt(height, known, self);
      } else return verdictAt(height, known, self);
    }
    const [newest] = heights;
    return newest === undefined ? NOTHING_KNOWN : verdictAt(newest[0], newest[1], self);
  }
}

function isContested({ own, votes }: Height): boolean {
  return [...votes.values()].some((hash) => hash !== own);
}

function verdictAt(height: number, { own, votes }: Height, self: string | undefined): HashVerdict {
  const counts = new Map<string, number>();
  const count = (hash: string): void => void counts.set(hash, (counts.get(hash) ?? 0) + 1);
  for (const [replica, hash] of votes) if (replica !== self) count(hash);
  // This replica counts exactly once, regardless of its earlier attestations.
  if (self !== undefined) count(own);
  const mine = counts.get(own) ?? 0;
  counts.delete(own);
  const theirs = Math.max(0, ...counts.values());
  const kind = theirs < mine || theirs === 0 ? 'agreed' : theirs === mine ? 'split' : 'outvoted';
  return { kind, height, own, votes };
}

const BLOCKS_AT_ONCE = 1_000;

/**
 * Returns the hash attested in the log for the content of the snapshot at a height, or undefined if
 * there is none.
 */
export async function attestedIn(
  log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>,
  height: number,
): Promise<Hash | undefined> {
  const until = Math.min(log.lastSeq, height + ATTESTED_WITHIN_BLOCKS);
  let from = Math.max(height + 1, log.firstSeq);
  while (from <= until) {
    const untilSeq = Math.min(until, from + BLOCKS_AT_ONCE - 1);
    const found: Hash[] = [];
    const look = ({ commands }: LogEntry): void => {
      const attested = attestationIn(commands, height);
      if (attested !== undefined) found.push(attested);
    };
    await log.replay(from, look, { untilSeq });
    if (found[0] !== undefined) return found[0];
    from = untilSeq + 1;
  }
  return undefined;
}

/** The facts that a snapshot states about itself. */
type SnapshotClaim = {
  readonly height: number;
  readonly block: number;
  readonly rules: number;
  readonly content: Hash;
};

/** Returns the reason a snapshot must not be used, or undefined if it may be. */
export type SnapshotJudge = (claim: SnapshotClaim) => Promise<string | undefined>;

/** Judges a folder's own snapshots: the log need not attest them, but must not contradict them. */
export function unlessContradicted(
  log: Pick<Log, 'firstSeq' | 'lastSeq' | 'replay'>,
): SnapshotJudge {
  return async ({ block, content, height }) => {
    if (block !== height) return notItsBlock(block);
    const attested = await attestedIn(log, height);
    return attested === undefined || attested === content
      ? undefined
      : contradicted(content, attested);
  };
}

/**
 * Judges a snapshot from another source: either the log attests its content, or the operator
 * accepts its content hash.
 */
export function unlessAttested(
  attestedAt: (height: number) => Promise<Hash | undefined>,
  accepted: string | undefined,
): SnapshotJudge {
  return async ({ block, content, height }) => {
    if (block !== height) return notItsBlock(block);
    if (accepted === content) return undefined;
    const attested = await attestedAt(height);
    if (attested === content) return undefined;
    if (attested !== undefined) return contradicted(content, attested);
    return `the log does not attest its content. If it is your own copy, pass --accept-snapshot ${content}.`;
  };
}

function notItsBlock(block: number): string {
  return `it contains block ${block}`;
}

function contradicted(content: string, attested: string): string {
  return `its content has the hash ${content}, but the log attests ${attested}`;
}
