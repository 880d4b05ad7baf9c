import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { type Requester, historyOf } from '@oddlot/history/history';
import type { AccountType } from '@oddlot/history/rows/block-rows';
import {
  NO_MISSED_FRAMES,
  type Past,
  pastOfBlocks,
  type PastSpan,
  type Snapshot,
  type Source,
  type Stream,
} from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening, ChannelFactories } from './node-channel.ts';
import type { OrderUpdate, UpdatedOutcomeOrder } from '@oddlot/protocol';
import {
  liveOrderRecords,
  liveOutcomeOrderRecords,
  orderUpdateRecord,
  outcomeOrderRecord,
} from '@oddlot/translate/event-to-stream';
import { findPerp } from '@oddlot/translate/info/info-context';

export type UserParams = { readonly user: Address };

type UserRow<Row> = { readonly user: Address; readonly row: Row };

/** Selects and formats the rows of a channel. */
type UserRowWriter<Params extends UserParams, Row> = {
  readonly channel: string;
  /** The sub-account whose stored orders reveal whether a client has missed events. */
  readonly accountType: AccountType;
  /** Distinguishes the streams of one user. Channels with one stream per user omit it. */
  readonly variant?: (params: Params) => string;
  /** Returns the rows of a block in order. It can omit rows of users who are not being watched. */
  rows(block: AppliedBlock, isWatched: (user: Address) => boolean): Iterable<UserRow<Row>>;
  /** Returns undefined if none of the rows belongs to the stream. */
  frame(params: Params, rows: readonly Row[]): string | undefined;
  snapshot(params: Params, occasion: 'subscribe' | 'resync'): Snapshot | undefined;
};

/** Publishes the events of one account, with one frame for each block that contains any. */
class UserEventChannel<Params extends UserParams, Row> implements NodeChannel<Params> {
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

  #past(
    params: Params,
    { after, upTo }: PastSpan,
    requester: Requester,
  ): Past | Promise<Past | 'tooOld'> {
    const { recent } = this.#context;
    const { user } = params;
    const blocks = recent.between(after, upTo);
    if (blocks === undefined) return this.#nothingOf(user, { after, upTo }, requester);
    return pastOfBlocks(
      blocks.filter((block) => recent.hasOrdersOf(block, user)),
      (block) => {
        const rows = [...this.#writer.rows(block, (each) => each === user)].map(({ row }) => row);
        const text = rows.length === 0 ? undefined : this.#writer.frame(params, rows);
        return text === undefined ? [] : [text];
      },
    );
  }

  /**
   * The history does not store these rows, but shows whether any of the user's orders has changed.
   * If none has, the client has missed nothing.
   */
  async #nothingOf(
    user: Address,
    { after, upTo }: PastSpan,
    requester: Requester,
  ): Promise<Past | 'tooOld'> {
    const history = historyOf(this.#context.history, requester);
    const { accountType } = this.#writer;
    const question = { table: 'orders', user, accountTypes: [accountType], after, upTo } as const;
    try {
      const { answer } = await history.ask('since', { ...question, limit: 1 }, { minHeight: upTo });
      return answer !== 'gone' && answer.rows.length === 0 ? NO_MISSED_FRAMES : 'tooOld';
    } catch {
      // The history cannot be queried right now, so the client gets a resync.
      return 'tooOld';
    }
  }

  #watch(stream: Stream, params: Params): Source {
    const { user } = params;
    const streams = this.#streams.get(user) ?? new Map<Stream, Params>();
    this.#streams.set(user, streams.set(stream, params));
    return {
      snapshot: (occasion) => this.#writer.snapshot(params, occasion),
      past: (span, requester) => this.#past(params, span, requester),
      close: () => {
        streams.delete(stream);
        if (streams.size === 0) this.#streams.delete(user);
      },
    };
  }
}

function orderUpdates({ state }: ChannelContext): UserRowWriter<UserParams, OrderUpdate> {
  return {
    channel: 'orderUpdates',
    accountType: 'perp',
    *rows(block, isWatched) {
      for (const event of block.result.events) {
        if (event.type !== 'orderUpdated') continue;
        const { account: user, instrumentId } = event.order;
        // A rejected order can refer to an unknown instrument, which has no name to publish.
        if (!isWatched(user) || findPerp(state(), instrumentId) === undefined) continue;
        const row = orderUpdateRecord(state(), event, block.timeMs);
        yield { user, row };
      }
    },
    frame: (_, rows) => JSON.stringify(rows),
    snapshot: ({ user }, occasion) => {
      if (occasion === 'subscribe') return undefined;
      return { data: JSON.stringify(liveOrderRecords(state(), user)), isSnapshot: true };
    },
  };
}

function outcomeOrderUpdates({
  state,
}: ChannelContext): UserRowWriter<UserParams, OrderUpdate<UpdatedOutcomeOrder>> {
  return {
    channel: 'outcomeOrderUpdates',
    accountType: 'outcome',
    *rows(block, isWatched) {
      for (const event of block.result.events) {
        if (event.type !== 'orderUpdated' || event.order.outcome === undefined) continue;
        const user = event.order.account;
        if (isWatched(user)) yield { user, row: outcomeOrderRecord(state(), event, block.timeMs) };
      }
    },
    frame: (_, rows) => JSON.stringify(rows),
    snapshot: ({ user }, occasion) => {
      if (occasion === 'subscribe') return undefined;
      return { data: JSON.stringify(liveOutcomeOrderRecords(state(), user)), isSnapshot: true };
    },
  };
}

export const ORDER_UPDATE_CHANNELS = {
  orderUpdates: (context) => new UserEventChannel(context, orderUpdates(context)),
  outcomeOrderUpdates: (context) => new UserEventChannel(context, outcomeOrderUpdates(context)),
} as const satisfies ChannelFactories;
