import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '../../../block/applied-block.ts';
import type { Snapshot, Source, Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening } from './node-channel.ts';

export type UserParams = { readonly user: Address };

/** Something that happened to a user, as it is shown. */
type UserRow<Row> = { readonly user: Address; readonly row: Row };

/** What a channel of users' rows says: which rows a block adds, and how they are written. */
export type UserRowWriter<Params extends UserParams, Row> = {
  readonly channel: string;
  /** What tells streams of one user apart; absent where each user has one. */
  readonly variant?: (params: Params) => string;
  /** The rows of a block, in order. Those of users that nobody watches may be left out. */
  rows(block: AppliedBlock, isWatched: (user: Address) => boolean): Iterable<UserRow<Row>>;
  /** The text of a frame; undefined when none of the rows belongs to the stream. */
  frame(params: Params, rows: readonly Row[]): string | undefined;
  snapshot(params: Params, occasion: 'subscribe' | 'resync'): Snapshot | undefined;
};

/** What happens to one account, one frame per block that adds any rows. */
export class UserEventChannel<Params extends UserParams, Row> implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #writer: UserRowWriter<Params, Row>;
  readonly #streams = new Map<Address, Map<Stream, Params>>();

  constructor(context: ChannelContext, writer: UserRowWriter<Params, Row>) {
    this.#context = context;
    this.#writer = writer;
  }

  open(params: Params): Opening {
    const { channel, variant } = this.#writer;
    const key = `${channel}:${params.user}`;
    return {
      ok: true,
      recipe: {
        key: variant === undefined ? key : `${key}:${variant(params)}`,
        channel,
        height: () => this.#context.state().height,
        source: (stream) => this.#watch(stream, params),
      },
    };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#streams.size === 0) return;
    const fresh = new Map<Address, Row[]>();
    for (const { row, user } of this.#writer.rows(block, (each) => this.#streams.has(each))) {
      const rows = fresh.get(user);
      if (rows === undefined) fresh.set(user, [row]);
      else rows.push(row);
    }
    for (const [user, rows] of fresh) {
      for (const [stream, params] of this.#streams.get(user) ?? []) {
        const text = this.#writer.frame(params, rows);
        if (text !== undefined) stream.publish(text);
      }
    }
  }

  #watch(stream: Stream, params: Params): Source {
    const { user } = params;
    const streams = this.#streams.get(user) ?? new Map<Stream, Params>();
    this.#streams.set(user, streams.set(stream, params));
    return {
      snapshot: (occasion) => this.#writer.snapshot(params, occasion),
      close: () => {
        streams.delete(stream);
        if (streams.size === 0) this.#streams.delete(user);
      },
    };
  }
}
