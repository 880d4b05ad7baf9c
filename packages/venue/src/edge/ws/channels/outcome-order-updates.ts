import type { OrderUpdated } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import { liveOutcomeOrderRecords, outcomeOrderRecord } from '../../../translate/outcome-stream.ts';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

/** What becomes of one account's outcome orders at the book, one frame per block that touches any. */
export class OutcomeOrderUpdatesChannel implements NodeChannel<{ readonly user: Address }> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Stream>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ user }: { readonly user: Address }): Opening {
    return {
      ok: true,
      recipe: {
        key: `outcomeOrderUpdates:${user}`,
        channel: 'outcomeOrderUpdates',
        height: () => this.#context.state().height,
        source: (stream) => {
          this.#streams.set(user, stream);
          return {
            snapshot: (occasion) => {
              if (occasion === 'subscribe') return undefined;
              const records = liveOutcomeOrderRecords(this.#context.state(), user);
              return { data: JSON.stringify(records), isSnapshot: true };
            },
            close: () => this.#streams.delete(user),
          };
        },
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#streams.size === 0) return;
    const updates = new Map<Stream, OrderUpdated[]>();
    for (const event of block.result.events) {
      if (event.type !== 'orderUpdated' || event.order.outcome === undefined) continue;
      const stream = this.#streams.get(event.order.account);
      if (stream === undefined) continue;
      const events = updates.get(stream);
      if (events === undefined) updates.set(stream, [event]);
      else events.push(event);
    }
    const state = this.#context.state();
    for (const [stream, events] of updates) {
      const records = events.map((event) => outcomeOrderRecord(state, event, block.timeMs));
      stream.publish(JSON.stringify(records));
    }
  }
}
