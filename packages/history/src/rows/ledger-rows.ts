import { splitEvents } from '@oddlot/translate/read-models/block-events';
import type { State, WithdrawalChanged } from '@oddlot/engine';
import type { LedgerUpdate } from '@oddlot/protocol';
import type { AppliedBlock } from '@oddlot/replica/block';
import { ledgerEntries, settledEntry, type LedgerEntry } from '@oddlot/translate/ledger-entries';
import { causeHash, fundingRow } from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';
import type { ClaimRecord, FundingRecord, LedgerRecord, WithdrawalRecord } from './block-rows.ts';

/** Returns one row for each position that paid or received funding (R-funding). */
export function fundingRecords(state: State, block: AppliedBlock): FundingRecord[] {
  const records: FundingRecord[] = [];
  for (const event of splitEvents(block).others) {
    if (event.type !== 'fundingPaid') continue;
    const { account: user, amount, instrumentId } = event;
    const perp = findPerp(state, instrumentId);
    if (perp === undefined) continue;
    const row = fundingRow(perp, event);
    records.push({ user, instrumentId, amountMicroUsdc: Number(amount), row });
  }
  return records;
}

export function claimRecords(block: AppliedBlock): ClaimRecord[] {
  const records: ClaimRecord[] = [];
  for (const event of splitEvents(block).others) {
    if (event.type !== 'builderRewardsClaimed') continue;
    const { account: builder, amount, commandIndex } = event;
    const txHash = causeHash(block, commandIndex);
    records.push({ builder, amountMicroUsdc: Number(amount), txHash, timeMs: block.timeMs });
  }
  return records;
}

type Pending = {
  readonly first: LedgerRecord['first'];
  readonly row: LedgerUpdate;
};

/**
 * Creates ledger rows and withdrawals. Pending withdrawals are kept, because their row is replaced
 * when the bridge reports the result.
 */
export class LedgerRows {
  readonly #pending = new Map<number, Pending>();

  take(
    state: State,
    block: AppliedBlock,
  ): { readonly ledger: LedgerRecord[]; readonly withdrawals: WithdrawalRecord[] } {
    const { height } = block;
    const ledger: LedgerRecord[] = [];
    const withdrawals: WithdrawalRecord[] = [];
    for (const event of splitEvents(block).others) {
      for (const { user, entry } of ledgerEntries(state, block, event)) {
        const first = { height, index: ledger.length };
        const { row, withdrawalId } = entry;
        ledger.push({ user, accountTypes: accountTypesOf(entry), first, row });
        if (withdrawalId !== undefined) this.#pending.set(withdrawalId, { first, row });
      }
      if (event.type !== 'withdrawalChanged') continue;
      withdrawals.push(this.#withdrawal(block, event));
      if (event.status === 'pending') continue;
      const known = this.#pending.get(event.withdrawalId);
      this.#pending.delete(event.withdrawalId);
      if (known !== undefined) ledger.push(endedRow(known, event));
    }
    return { ledger, withdrawals };
  }

  /**
   * If a withdrawal was requested before the history began (R-era), its request time is unknown,
   * and the time of its last change is used instead.
   */
  #withdrawal({ timeMs }: AppliedBlock, event: WithdrawalChanged): WithdrawalRecord {
    const { account, amount, destination, error, fee, status, txHash, withdrawalId } = event;
    return {
      user: account,
      withdrawalId,
      timeMs: this.#pending.get(withdrawalId)?.row.time ?? timeMs,
      updatedMs: timeMs,
      destination,
      amountMicroUsdc: Number(amount),
      feeMicroUsdc: Number(fee),
      status,
      ...(txHash === undefined ? {} : { txHash }),
      ...(error === undefined ? {} : { error }),
    };
  }

  dump(): readonly (readonly [withdrawalId: number, pending: Pending])[] {
    return [...this.#pending];
  }

  restore(rows: ReturnType<LedgerRows['dump']>): void {
    for (const [withdrawalId, pending] of rows) this.#pending.set(withdrawalId, pending);
  }

  clear(): void {
    this.#pending.clear();
  }
}

function accountTypesOf({ accountType, alsoIn }: LedgerEntry): LedgerRecord['accountTypes'] {
  return alsoIn === undefined || alsoIn === accountType ? [accountType] : [accountType, alsoIn];
}

function endedRow({ first, row }: Pending, event: WithdrawalChanged): LedgerRecord {
  const entry = settledEntry({ accountType: 'perp', row }, event);
  return { user: event.account, accountTypes: accountTypesOf(entry), first, row: entry.row };
}
