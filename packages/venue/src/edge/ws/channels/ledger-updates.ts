import { LIMITS, type LedgerUpdate, type UserLedgerUpdate } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import { ledgerEntries, type LedgerEntry } from '../../../translate/event-to-ledger.ts';
import type { Source, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

type AccountType = 'perp' | 'outcome';
type Params = { readonly user: Address; readonly accountTypes: readonly AccountType[] };

/** An account's ledger: its newest rows, then one frame per block that adds any. */
export class LedgerUpdatesChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Map<Stream, readonly AccountType[]>>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ accountTypes, user }: Params): Opening {
    return {
      ok: true,
      recipe: {
        key: `userNonFundingLedgerUpdates:${user}:${accountTypes.join(',')}`,
        channel: 'userNonFundingLedgerUpdates',
        height: () => this.#context.state().height,
        source: (stream) => this.#watch(stream, user, accountTypes),
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#streams.size === 0) return;
    const state = this.#context.state();
    const fresh = new Map<Address, LedgerEntry[]>();
    for (const event of block.result.events) {
      for (const { entry, user } of ledgerEntries(state, block, event)) {
        if (!this.#streams.has(user)) continue;
        const entries = fresh.get(user);
        if (entries === undefined) fresh.set(user, [entry]);
        else entries.push(entry);
      }
    }
    for (const [user, entries] of fresh) {
      for (const [stream, types] of this.#streams.get(user) ?? []) {
        const rows = entries.filter((entry) => isOf(types, entry)).map(({ row }) => row);
        if (rows.length > 0) stream.publish(textOf(user, rows));
      }
    }
  }

  #watch(stream: Stream, user: Address, accountTypes: readonly AccountType[]): Source {
    const streams = this.#streams.get(user) ?? new Map<Stream, readonly AccountType[]>();
    this.#streams.set(user, streams.set(stream, accountTypes));
    const query = { user, accountTypes: [...accountTypes], limit: LIMITS.snapshotRowsMax };
    return {
      snapshot: () => {
        const type = 'userNonFundingLedgerUpdates';
        const rows = this.#context.ledger.query({ type, ...query, offset: 0 });
        return { data: textOf(user, rows, true) };
      },
      close: () => {
        streams.delete(stream);
        if (streams.size === 0) this.#streams.delete(user);
      },
    };
  }
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
