import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../../../block/block.ts';
import { releaseRecords } from '../../../translate/release-records.ts';
import { pastOfBlocks } from '../past-of-blocks.ts';
import type { Past, PastSpan } from '../past.ts';
import type { Source, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

type Params = { readonly user: Address; readonly includeSuccess: boolean };
type Streams = { failures?: Stream; all?: Stream };

/**
 * R-delay: outcome orders that failed before they reached the book, one frame each. Those who ask
 * for it are told of the others too.
 */
export class OutcomeReleasesChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Streams>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ includeSuccess, user }: Params): Opening {
    const kind = includeSuccess ? 'all' : 'failures';
    return {
      ok: true,
      recipe: {
        key: `outcomeOrderUpdate:${kind}:${user}`,
        channel: 'outcomeOrderUpdate',
        height: () => this.#context.state().height,
        source: (stream) => this.#watch(stream, user, kind),
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#streams.size === 0) return;
    const isWatched = (user: Address): boolean => this.#streams.has(user);
    for (const { record, user } of releaseRecords(this.#context.state(), block, isWatched)) {
      const text = JSON.stringify(record);
      const streams = this.#streams.get(user);
      streams?.all?.publish(text);
      if (!record.success) streams?.failures?.publish(text);
    }
  }

  /** From memory alone: what is older is in the receipts. */
  #past(user: Address, kind: keyof Streams, { after, upTo }: PastSpan): Past | 'tooOld' {
    const { recent, state } = this.#context;
    const blocks = recent.between(after, upTo);
    if (blocks === undefined) return 'tooOld';
    const isWanted = (each: Address): boolean => each === user;
    return pastOfBlocks(
      blocks.filter((block) => recent.hasOrdersOf(block, user)),
      (block) =>
        releaseRecords(state(), block, isWanted)
          .filter(({ record }) => kind === 'all' || !record.success)
          .map(({ record }) => JSON.stringify(record)),
    );
  }

  /** Who lost their place finds what became of an action in its receipt. */
  #watch(stream: Stream, user: Address, kind: keyof Streams): Source {
    const streams = this.#streams.get(user) ?? {};
    streams[kind] = stream;
    this.#streams.set(user, streams);
    return {
      snapshot: () => undefined,
      past: (span) => this.#past(user, kind, span),
      close: () => {
        delete streams[kind];
        if (streams.all === undefined && streams.failures === undefined) this.#streams.delete(user);
      },
    };
  }
}
