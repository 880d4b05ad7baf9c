import type { State } from '@oddlot/engine';
import { LIMITS, type FundingRow } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../block/applied-block.ts';
import { fundingRow } from '../translate/event-to-stream.ts';
import { findPerp } from '../translate/info/handler.ts';
import { RecentRows } from './recent-rows.ts';

const TOTAL_MAX = 100_000;

/** The newest funding rows of each user: what a newcomer is shown. Snapshots bring them back. */
export class FundingRows {
  readonly #state: () => State;
  readonly #recent = new RecentRows<FundingRow>({
    perUserMax: LIMITS.snapshotRowsMax,
    totalMax: TOTAL_MAX,
  });

  constructor(state: () => State) {
    this.#state = state;
  }

  onBlock(block: AppliedBlock): void {
    for (const { row, user } of fundingRowsOf(this.#state(), block)) this.#recent.add(user, row);
  }

  /** Newest first. */
  of(user: Address): FundingRow[] {
    return this.#recent.of(user);
  }

  dump(): unknown {
    return this.#recent.dump();
  }

  reset(): void {
    this.#recent.clear();
  }

  restore(data: unknown): void {
    this.#recent.restore(data);
  }
}

/** The funding rows of a block in order, of some users or of all. */
export function* fundingRowsOf(
  state: State,
  block: AppliedBlock,
  isAsked: (user: Address) => boolean = () => true,
): Iterable<{ readonly user: Address; readonly row: FundingRow }> {
  for (const event of block.result.events) {
    if (event.type !== 'fundingPaid' || !isAsked(event.account)) continue;
    const perp = findPerp(state, event.instrumentId);
    if (perp !== undefined) yield { user: event.account, row: fundingRow(perp, event) };
  }
}
