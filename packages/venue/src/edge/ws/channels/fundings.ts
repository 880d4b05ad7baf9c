import type { FundingPaid } from '@oddlot/engine';
import { LIMITS, type FundingRow, type UserFundingsUpdate } from '@oddlot/protocol';
import type { Address } from '@oddlot/units';
import { RecentRows } from '../../../history/recent-rows.ts';
import { fundingRow } from '../../../translate/event-to-stream.ts';
import { findPerp } from '../../../translate/info/handler.ts';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

const TOTAL_MAX = 100_000;

/** What one account's positions paid and collected, one frame per block with funding in it. */
export class FundingsChannel implements NodeChannel<{ readonly user: Address }> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Stream>();
  /** What a newcomer is shown; a snapshot of the venue brings it back. */
  readonly #recent = new RecentRows<FundingRow>({
    perUserMax: LIMITS.snapshotRowsMax,
    totalMax: TOTAL_MAX,
  });

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ user }: { readonly user: Address }): Opening {
    return {
      ok: true,
      recipe: {
        key: `userFundings:${user}`,
        channel: 'userFundings',
        height: () => this.#context.state().height,
        source: (stream) => {
          this.#streams.set(user, stream);
          return {
            snapshot: () => ({ data: snapshotText(user, this.#recent.of(user)) }),
            close: () => this.#streams.delete(user),
          };
        },
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    const fresh = new Map<Address, FundingRow[]>();
    for (const event of block.result.events) {
      if (event.type !== 'fundingPaid') continue;
      const row = this.#row(event);
      if (row === undefined) continue;
      this.#recent.add(event.account, row);
      const rows = fresh.get(event.account);
      if (rows === undefined) fresh.set(event.account, [row]);
      else rows.push(row);
    }
    for (const [user, fundings] of fresh) {
      const update: UserFundingsUpdate = { user, fundings };
      this.#streams.get(user)?.publish(JSON.stringify(update));
    }
  }

  dump(): unknown {
    return this.#recent.dump();
  }

  restore(data: unknown): void {
    this.#recent.restore(data);
  }

  #row(event: FundingPaid): FundingRow | undefined {
    const perp = findPerp(this.#context.state(), event.instrumentId);
    return perp === undefined ? undefined : fundingRow(perp, event);
  }
}

function snapshotText(user: Address, fundings: FundingRow[]): string {
  const update: UserFundingsUpdate = { user, isSnapshot: true, fundings };
  return JSON.stringify(update);
}
