import { perpDefinitions } from '@oddlot/engine';
import type { AppliedBlock } from '../../../block/block.ts';
import { OUTCOME_ID_MIN } from '@oddlot/protocol';
import { tickerFields } from '../../../translate/market-to-stream.ts';
import type { Source, Stream } from '../stream.ts';
import {
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';
import { PacedRecords } from './paced-records.ts';
import { touchedInstruments } from './touched-instruments.ts';

type Params = {
  readonly accountType?: 'perp' | 'outcome' | undefined;
  readonly instrumentIds?: readonly number[] | undefined;
};

type Selection = {
  readonly ids: () => number[];
  /** Who names a market is shown it also when it is gone. */
  readonly isNamed: boolean;
  readonly isWanted: (id: number) => boolean;
};

/**
 * Instruments at a glance: all at first, then those that changed. One that is settled or delisted is
 * told once more, as gone, and is then told only to those who name it.
 */
export class TickersChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #sources = new Map<PacedRecords, (id: number) => boolean>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ accountType, instrumentIds }: Params): Opening {
    for (const id of instrumentIds ?? []) {
      const found = instrumentOf(this.#context, id);
      if (!found.ok) return found;
    }
    const asked = instrumentIds === undefined ? undefined : new Set(instrumentIds);
    const isWanted = (id: number): boolean =>
      (asked?.has(id) ?? true) && (accountType ?? typeOf(id)) === typeOf(id);
    const key = `tickers:${accountType ?? ''}:${instrumentIds?.join(',') ?? ''}`;
    const ids = (): number[] => (instrumentIds ?? this.#listed()).filter(isWanted);
    const isNamed = asked !== undefined;
    const source = (stream: Stream): Source => this.#watch(stream, { ids, isNamed, isWanted });
    return { ok: true, recipe: { key, channel: 'tickers', source } };
  }

  onBlock(block: AppliedBlock): void {
    if (this.#sources.size === 0) return;
    for (const id of touchedInstruments(block)) {
      for (const [source, isWanted] of this.#sources) if (isWanted(id)) source.ask(id);
    }
  }

  #isListed(id: number): boolean {
    const { outcomes, perps } = this.#context.state();
    return perps.get(id)?.delisted === false || outcomes.markets.has(id);
  }

  #listed(): readonly number[] {
    const state = this.#context.state();
    const perps = perpDefinitions(state).map(({ instrumentId }) => instrumentId);
    return [...perps, ...state.outcomes.marketIds].filter((id) => this.#isListed(id));
  }

  /** The row without its time, which alone is no news. */
  #row(id: number): string | undefined {
    const found = instrumentOf(this.#context, id);
    if (!found.ok) return undefined;
    const { markets, state } = this.#context;
    const fields = tickerFields({ markets, state: state() }, found.instrument);
    return JSON.stringify(this.#isListed(id) ? fields : { ...fields, gone: true });
  }

  #watch(stream: Stream, { ids, isNamed, isWanted }: Selection): Source {
    const { limits, state, timing } = this.#context;
    const source: PacedRecords = new PacedRecords({
      stream,
      timing,
      intervalMs: limits.contextIntervalMs,
      ids,
      record: (id) => (isNamed || this.#isListed(id) ? this.#row(id) : undefined),
      lastOf: (id) => this.#row(id),
      wrap: (records, isSnapshot) => {
        const end = `,"time":${state().timeMs}}`;
        const tickers = records.map((record) => record.slice(0, -1) + end).join(',');
        return `{"tickers":[${tickers}]${isSnapshot ? ',"isSnapshot":true' : ''}}`;
      },
      onClose: () => this.#sources.delete(source),
    });
    this.#sources.set(source, isWanted);
    return source;
  }
}

function typeOf(instrumentId: number): 'perp' | 'outcome' {
  return instrumentId >= OUTCOME_ID_MIN ? 'outcome' : 'perp';
}
