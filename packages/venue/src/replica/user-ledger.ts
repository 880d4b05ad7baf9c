import type { State } from '@oddlot/engine';
import type { InfoQueryOf, LedgerUpdate } from '@oddlot/protocol';
import type { AppliedBlock } from './replica.ts';
import { ledgerEntry, type LedgerEntry } from '../translate/event-to-ledger.ts';
import { RecentRows } from './recent-rows.ts';

const PER_USER_MAX = 2_000;
const TOTAL_MAX = 100_000;

/**
 * What happened to accounts other than by trading and funding: liquidations, deleveraging, test
 * money. To be called for every block, in order, replayed ones included.
 */
export class UserLedger {
  readonly #state: () => State;
  readonly #rows = new RecentRows<LedgerEntry>({ perUserMax: PER_USER_MAX, totalMax: TOTAL_MAX });
  /** As a companion of the replica's snapshots. */
  readonly name = 'ledger';

  constructor(state: () => State) {
    this.#state = state;
  }

  onBlock(block: AppliedBlock): void {
    for (const event of block.result.events) {
      const found = ledgerEntry(this.#state(), block, event);
      if (found !== undefined) this.#rows.add(found.user, found.entry);
    }
  }

  /** One page, newest first. */
  query(query: InfoQueryOf<'userNonFundingLedgerUpdates'>): LedgerUpdate[] {
    const { accountTypes, startTime = 0, endTime = Infinity, limit, offset } = query;
    return this.#rows
      .of(query.user)
      .filter(({ accountType }) => accountTypes.includes(accountType))
      .filter(({ row }) => row.time >= startTime && row.time <= endTime)
      .slice(offset, offset + limit)
      .map(({ row }) => row);
  }

  dump(): unknown {
    return this.#rows.dump();
  }

  restore(data: unknown): void {
    this.#rows.restore(data);
  }
}
