import { LIMITS, type LedgerUpdate, type UserLedgerUpdate } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { ledgerEntries, type LedgerEntry } from '../../../translate/event-to-ledger.ts';
import type { ChannelContext } from './node-channel.ts';
import type { UserParams, UserRowWriter } from './user-event-channel.ts';

type AccountType = 'perp' | 'outcome';
export type LedgerParams = UserParams & { readonly accountTypes: readonly AccountType[] };

/** An account's ledger, its newest rows first. */
export function ledgerUpdates({
  ledger,
  state,
}: ChannelContext): UserRowWriter<LedgerParams, LedgerEntry> {
  const channel = 'userNonFundingLedgerUpdates';
  return {
    channel,
    variant: ({ accountTypes }) => accountTypes.join(','),
    *rows(block, isWatched) {
      for (const event of block.result.events) {
        for (const { entry, user } of ledgerEntries(state(), block, event)) {
          if (isWatched(user)) yield { user, row: entry };
        }
      }
    },
    frame: ({ accountTypes, user }, entries) => {
      const rows = entries.filter((entry) => isOf(accountTypes, entry)).map(({ row }) => row);
      return rows.length === 0 ? undefined : textOf(user, rows);
    },
    snapshot: ({ accountTypes, user }) => {
      const page = { limit: LIMITS.snapshotRowsMax, offset: 0 };
      const types = [...accountTypes];
      const rows = ledger.query({ type: channel, user, accountTypes: types, ...page });
      return { data: textOf(user, rows, true) };
    },
  };
}

function isOf(types: readonly AccountType[], { accountType, alsoIn }: LedgerEntry): boolean {
  return types.some((type) => type === accountType || type === alsoIn);
}

function textOf(user: Address, rows: LedgerUpdate[], isSnapshot?: true): string {
  const update: UserLedgerUpdate = {
    user,
    ...(isSnapshot === undefined ? {} : { isSnapshot }),
    nonFundingLedgerUpdates: rows,
  };
  return JSON.stringify(update);
}
