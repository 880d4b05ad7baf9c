import type { Instrument } from '../../../translate/instruments.ts';
import { outcomeBbo } from '../../../translate/event-to-stream.ts';
import type { Source, Stream } from '../stream.ts';
import {
  bookVersion,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import { outcomeGroup } from './outcome-group.ts';
import { PacedRecords } from './paced-records.ts';

type Params = { readonly instrumentIds: readonly number[] };
type Watched = { version: number; readonly groups: Set<PacedRecords> };

/** Best bid and ask of groups of outcome markets: all at first, then those that changed. */
export class OutcomeBbosChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #watched = new Map<number, Watched>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ instrumentIds }: Params): Opening {
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
