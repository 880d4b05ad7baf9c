import type { OrderUpdated } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import { liveOrderRecords, orderUpdateRecord } from '../../../translate/event-to-stream.ts';
import { findPerp } from '../../../translate/info/handler.ts';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import type { Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

/** What becomes of one account's perp orders, one frame per block that touches any. */
export class OrderUpdatesChannel implements NodeChannel<{ readonly user: Address }> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Stream>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ user }: { readonly user: Address }): Opening {
    return {
      ok: true,
      recipe: {
        key: `orderUpdates:${user}`,
        channel: 'orderUpdates',
        height: () => this.#context.state().height,
        source: (stream) => {
          this.#streams.set(user, stream);
          return {
            snapshot: (occasion) => {
              if (occasion === 'subscribe') return undefined;
              const records = liveOrderRecords(this.#context.state(), user);
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
    const state = this.#context.state();
    const updates = new Map<Stream, OrderUpdated[]>();
    for (const event of block.result.events) {
      if (event.type !== 'orderUpdated') continue;
      const stream = this.#streams.get(event.order.account);
      // A refused order may name an instrument that does not exist; there is nothing to show of it.
      if (stream === undefined || findPerp(state, event.order.instrumentId) === undefined) continue;
      const events = updates.get(stream);
      if (events === undefined) updates.set(stream, [event]);
      else events.push(event);
    }
    for (const [stream, events] of updates) {
      const records = events.map((event) => orderUpdateRecord(state, event, block.timeMs));
      stream.publish(JSON.stringify(records));
    }
  }
}
