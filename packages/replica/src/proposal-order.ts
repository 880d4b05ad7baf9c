import type { AppliedBlock, EarlierBlock, Projection } from './block.ts';

/** How long a proposer is remembered after its last block, in milliseconds of log time. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
const SWEEP_EVERY = 10_000;

/**
 * The verdict on a block in the stream: it counts, it is a repetition, or a predecessor is missing.
 */
type Verdict = 'next' | 'repeated' | 'early';

type Proposer = { last: number; timeMs: number };

/**
 * Decides which blocks in a stream count. A proposer numbers its blocks from 1 and has several in
 * flight: one can be lost while later ones arrive, and one whose acknowledgement was lost can
 * arrive twice. A block therefore counts if it is its proposer's next one; all other blocks are
 * treated as empty on every replica, and the proposer sends them again in order. Snapshots contain
 * this state, because a replica starting from a snapshot has not seen the earlier blocks.
 */
export class ProposalOrder implements Projection {
  readonly name = 'proposals';
  readonly version = 1;
  readonly isOfAllEras = true;
  readonly #proposers = new Map<string, Proposer>();
  #untilSweep = SWEEP_EVERY;

  /** Returns a copy that can be ahead of this one while blocks are waiting to be applied. */
  copy(): ProposalOrder {
    const copy = new ProposalOrder();
    for (const [name, { last, timeMs }] of this.#proposers)
      copy.#proposers.set(name, { last, timeMs });
    return copy;
  }

  take(proposal: string, timeMs: number): Verdict {
    const { name, number } = parseProposal(proposal);
    const known = this.#proposers.get(name);
    // The times compared are log times, not the time of a sweep, so that all replicas forget a
    // proposer at the same block.
    const isKnown = known !== undefined && timeMs - known.timeMs <= FORGOTTEN_AFTER_MS;
    const last = isKnown ? known.last : 0;
    if (number <= last) return 'repeated';
    if (number > last + 1) return 'early';
    this.#proposers.set(name, { last: number, timeMs });
    this.#sweep(timeMs);
    return 'next';
  }

  onBlock({ proposal, timeMs }: AppliedBlock): void {
    if (proposal !== undefined) this.take(proposal, timeMs);
  }

  onEarlierBlock({ head, proposal }: EarlierBlock): void {
    if (proposal !== undefined) this.take(proposal, head.timeMs);
  }

  dump(): unknown {
    if (this.#proposers.size === 0) return undefined;
    return [...this.#proposers].map(([name, { last, timeMs }]) => [name, last, timeMs]);
  }

  restore(data: unknown): void {
    this.reset();
    for (const [name, last, timeMs] of data as [name: string, last: number, timeMs: number][]) {
      this.#proposers.set(name, { last, timeMs });
    }
  }

  reset(): void {
    this.#proposers.clear();
    this.#untilSweep = SWEEP_EVERY;
  }

  #sweep(timeMs: number): void {
    this.#untilSweep -= 1;
    if (this.#untilSweep > 0) return;
    this.#untilSweep = SWEEP_EVERY;
    for (const [name, proposer] of this.#proposers) {
      if (timeMs - proposer.timeMs > FORGOTTEN_AFTER_MS) this.#proposers.delete(name);
    }
  }
}

/** Splits a proposal id, `<name>:<number>`, into the proposer's name and its number. */
export function parseProposal(proposal: string): {
  readonly name: string;
  readonly number: number;
} {
  const at = proposal.lastIndexOf(':');
  return { name: proposal.slice(0, at), number: Number(proposal.slice(at + 1)) };
}

/** True if one of the proposals is by the same proposer and has a lower number. */
export function hasEarlier(proposals: Iterable<string>, proposal: string): boolean {
  const { name, number } = parseProposal(proposal);
  return [...proposals].some((each) => {
    const other = parseProposal(each);
    return other.name === name && other.number < number;
  });
}
