import type { AppliedBlock, EarlierBlock, Projection } from './block.ts';

/** After so long without a block of its own a proposer is forgotten, by the time of the log. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
/** Blocks between two looks for those who are. */
const SWEEP_EVERY = 10_000;

/** What becomes of a block of the stream: it counts, it came before, or one that goes ahead of it did not come. */
type Verdict = 'next' | 'repeated' | 'early';

type Proposer = { last: number; timeMs: number };

/**
 * Which blocks of a stream count. A proposer numbers its blocks from 1 on and has several on their way: one may
 * get lost while those behind it arrive, and one whose acknowledgement was lost may arrive twice. So a
 * block counts when it is its proposer's next; any other is empty, on every replica alike, and who proposed it
 * sends it again when its turn has come.
 *
 * Snapshots hold it: a replica that starts behind one has not seen where its proposers stood.
 */
export class ProposalOrder implements Projection {
  readonly name = 'proposals';
  readonly version = 1;
  readonly isOfAllEras = true;
  readonly #proposers = new Map<string, Proposer>();
  #untilSweep = SWEEP_EVERY;

  /** Where it stands now, to go on from while blocks are on their way to being applied. */
  copy(): ProposalOrder {
    const copy = new ProposalOrder();
    for (const [name, { last, timeMs }] of this.#proposers)
      copy.#proposers.set(name, { last, timeMs });
    return copy;
  }

  /** Judges the next block of the stream, and remembers one that counts. */
  take(proposal: string, timeMs: number): Verdict {
    const { name, number } = parseProposal(proposal);
    const known = this.#proposers.get(name);
    // By the log alone, whenever the memory is freed: all replicas forget with the same block.
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

/** Proposals are named after their proposer and its count: `<name>:<number>`. */
export function parseProposal(proposal: string): {
  readonly name: string;
  readonly number: number;
} {
  const at = proposal.lastIndexOf(':');
  return { name: proposal.slice(0, at), number: Number(proposal.slice(at + 1)) };
}

/** Whether one of these is of the same proposer as another, and has a lower number. */
export function hasEarlier(proposals: Iterable<string>, proposal: string): boolean {
  const { name, number } = parseProposal(proposal);
  return [...proposals].some((each) => {
    const other = parseProposal(each);
    return other.name === name && other.number < number;
  });
}
