import type { State, WithdrawalChanged } from '@oddlot/engine';
import type { InfoQueryOf, LedgerUpdate } from '@oddlot/protocol';
import type { AppliedBlock } from '../block/applied-block.ts';
import { ledgerEntries, settledEntry, type LedgerEntry } from '../translate/event-to-ledger.ts';
import { RecentRows } from './recent-rows.ts';

const PER_USER_MAX = 2_000;
const TOTAL_MAX = 100_000;

/**
 * What happened to accounts other than by trading and funding: transfers, withdrawals, claims,
 * liquidations, deleveraging, test money. To be called for every block, in order, replayed ones included.
 */
export class UserLedger {
  readonly #state: () => State;
  readonly #rows = new RecentRows<LedgerEntry>({ perUserMax: PER_USER_MAX, totalMax: TOTAL_MAX });
  /** As a projection. */
  readonly name = 'ledger';
  readonly version = 1;

  constructor(state: () => State) {
    this.#state = state;
  }

  onBlock(block: AppliedBlock): void {
    for (const event of block.result.events) {
      for (const { user, entry } of ledgerEntries(this.#state(), block, event)) {
        this.#rows.add(user, entry);
      }
      if (event.type === 'withdrawalChanged' && event.status !== 'pending') this.#settle(event);
    }
  }

  /** A withdrawal has one row, whose status follows what the bridge says. */
  #settle(event: WithdrawalChanged): void {
    const { account, withdrawalId } = event;
    this.#rows.replace(account, (entry) =>
      entry.withdrawalId === withdrawalId ? settledEntry(entry, event) : entry,
    );
  }

  /** One page, newest first. */
  query(query: InfoQueryOf<'userNonFundingLedgerUpdates'>): LedgerUpdate[] {
    const { accountTypes, startTime = 0, endTime = Infinity, limit, offset } = query;
    return this.#rows
      .of(query.user)
      .filter(({ accountType, alsoIn = accountType }) =>
        accountTypes.some((type) => type === accountType || type === alsoIn),
      )
      .filter(({ row }) => row.time >= startTime && row.time <= endTime)
      .slice(offset, offset + limit)
      .map(({ row }) => row);
  }

  dump(): unknown {
    return this.#rows.dump();
  }

  reset(): void {
    this.#rows.clear();
  }

  restore(data: unknown): void {
    this.#rows.restore(data);
  }
}
