import { marketView, type State } from '@oddlot/engine';
import type { OpenInterestRow } from '@oddlot/protocol';
import { present } from '@oddlot/units';
import type { AppliedBlock } from '../../block/applied-block.ts';
import { HOUR_MS } from '../../read-models/candle-interval.ts';
import { instrumentLookup } from '../../translate/actions/instrument-lookup.ts';
import { formatHalfPrice, formatPrice, formatSize } from '../../translate/format.ts';
import type { OpenInterestRecord } from './block-rows.ts';

/**
 * What is held of each instrument, once an hour: as the first block of the hour left it, with that block's time. What
 * nobody holds has no record, but for the one that says that it came to an end.
 */
export class OpenInterest {
  /** Of the last block; undefined before the first. */
  #lastMs: number | undefined;
  /** The instruments that had something at the last record. */
  #held = new Set<number>();

  take(state: State, { timeMs }: AppliedBlock): OpenInterestRecord[] {
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    const isSameHour =
      lastMs !== undefined && Math.floor(lastMs / HOUR_MS) === Math.floor(timeMs / HOUR_MS);
    if (isSameHour) return [];
    const held = new Set<number>();
    const records: OpenInterestRecord[] = [];
    for (const { instrumentId, lots, row } of figures(state, timeMs)) {
      if (lots > 0) held.add(instrumentId);
      if (lots > 0 || this.#held.has(instrumentId)) records.push({ instrumentId, row: row() });
    }
    this.#held = held;
    return records;
  }

  dump(): OpenInterestDump {
    return { lastMs: this.#lastMs ?? null, held: [...this.#held] };
  }

  restore({ held, lastMs }: OpenInterestDump): void {
    this.#lastMs = lastMs ?? undefined;
    this.#held = new Set(held);
  }

  clear(): void {
    this.#lastMs = undefined;
    this.#held.clear();
  }
}

type Figure = {
  readonly instrumentId: number;
  readonly lots: number;
  readonly row: () => OpenInterestRow;
};

/** Perps in their base, outcome markets in pairs of shares. */
function* figures(state: State, time: number): Generator<Figure> {
  for (const { definition, mark, openInterest: lots } of state.perps.values()) {
    const { instrumentId, name: coin } = definition;
    const row = (): OpenInterestRow => ({
      coin,
      time,
      openInterest: formatSize(definition, lots),
      markPx: formatPrice(definition, mark),
    });
    yield { instrumentId, lots, row };
  }
  for (const [instrumentId, { pairs: lots }] of state.outcomes.markets) {
    const row = (): OpenInterestRow => {
      const { name: coin, ...scale } = present(
        instrumentLookup(() => state)(instrumentId),
        'a listed market',
      );
      const { markHalves } = present(marketView(state, instrumentId), 'a listed market');
      const openInterest = formatSize(scale, lots);
      return { coin, time, openInterest, markPx: formatHalfPrice(scale, markHalves) };
    };
    yield { instrumentId, lots, row };
  }
}

export type OpenInterestDump = { readonly lastMs: number | null; readonly held: readonly number[] };
