import type { Address } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { releaseRecords } from '@oddlot/translate/release-records';
import { type Past, pastOfBlocks, type PastSpan, type Source, type Stream } from '../stream.ts';
import {
  bookVersion,
  type ChannelContext,
  type NodeChannel,
  type Opening,
  outcomeGroup,
  type ChannelFactories,
} from './node-channel.ts';
import type { Instrument } from '@oddlot/translate/instruments';
import { outcomeBbo } from '@oddlot/translate/event-to-stream';
import { PacedRecords } from './paced-streams.ts';

type ReleasesParams = { readonly user: Address; readonly includeSuccess: boolean };
type Streams = { failures?: Stream; all?: Stream };

/**
 * Publishes one frame for each outcome order that failed before it reached the book (R-delay), and,
 * on request, also for each order released to the book.
 */
class OutcomeReleasesChannel implements NodeChannel<ReleasesParams> {
  readonly #context: ChannelContext;
  readonly #streams = new Map<Address, Streams>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ includeSuccess, user }: ReleasesParams): Opening {
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

  /** Only blocks in memory are searched. Older results are in the execution receipts. */
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

  /**
   * The channel has no snapshot: a client that has missed frames finds the results of its actions
   * in their receipts.
   */
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

type BbosParams = { readonly instrumentIds: readonly number[] };
type Watched = { version: number; readonly groups: Set<PacedRecords> };

/**
 * Publishes the best bid and ask of each market in a group of outcome markets: all of them in the
 * first frame, and those that have changed in later frames.
 */
class OutcomeBbosChannel implements NodeChannel<BbosParams> {
  readonly #context: ChannelContext;
  readonly #watched = new Map<number, Watched>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ instrumentIds }: BbosParams): Opening {
    const group = outcomeGroup(this.#context, instrumentIds);
    if (!group.ok) return group;
    const { markets } = group;
    const source = (stream: Stream): Source => this.#watch(stream, markets);
    const key = `outcomeBbos:${instrumentIds.join(',')}`;
    return { ok: true, recipe: { key, channel: 'outcomeBbos', source } };
  }

  onBlock(): void {
    for (const [id, watched] of this.#watched) {
      const version = bookVersion(this.#context.state(), id);
      if (version === watched.version) continue;
      watched.version = version;
      for (const group of watched.groups) group.ask(id);
    }
  }

  #watch(stream: Stream, markets: readonly Instrument[]): Source {
    const { state, timing, limits } = this.#context;
    const byId = new Map(markets.map((market) => [market.instrumentId, market]));
    const group = new PacedRecords({
      stream,
      timing,
      intervalMs: limits.bookIntervalMs,
      ids: () => [...byId.keys()],
      record: (id) => {
        const market = byId.get(id);
        return market === undefined ? undefined : JSON.stringify(outcomeBbo(state(), market));
      },
      wrap: (records) => `{"bbos":[${records.join(',')}]}`,
      onClose: () => this.#unwatch(group, byId.keys()),
    });
    for (const id of byId.keys()) {
      const known = this.#watched.get(id);
      if (known !== undefined) known.groups.add(group);
      else this.#watched.set(id, { version: bookVersion(state(), id), groups: new Set([group]) });
    }
    return group;
  }

  #unwatch(group: PacedRecords, ids: Iterable<number>): void {
    for (const id of ids) {
      const watched = this.#watched.get(id);
      watched?.groups.delete(group);
      if (watched?.groups.size === 0) this.#watched.delete(id);
    }
  }
}

export const OUTCOME_RELEASE_CHANNELS = {
  outcomeOrderUpdate: (context) => new OutcomeReleasesChannel(context),
} as const satisfies ChannelFactories;

export const OUTCOME_BBO_CHANNELS = {
  outcomeBbos: (context) => new OutcomeBbosChannel(context),
} as const satisfies ChannelFactories;
