import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../../lib/local-texts.ts';
import { drawingsOf, type Drawing } from './drawing.ts';

/** Drawings by the name of their market. They are their owner's: this browser keeps them. */
const kept = createStore<Readonly<Record<string, readonly Drawing[]>>>(() => ({}));

const PREFIX = 'oddlot.drawings.';
const NONE: readonly Drawing[] = [];

export function useDrawings(market: string): readonly Drawing[] {
  return useStore(kept, (all) => all[market] ?? read(market));
}

export function changeDrawings(
  market: string,
  change: (drawings: readonly Drawing[]) => readonly Drawing[],
): void {
  const drawings = change(kept.getState()[market] ?? read(market));
  kept.setState({ [market]: drawings });
  keepText(PREFIX + market, drawings.length === 0 ? null : JSON.stringify(drawings));
}

/** Read once a market: what is drawn is asked for with every frame. */
const known = new Map<string, readonly Drawing[]>();

function read(market: string): readonly Drawing[] {
  const found = known.get(market) ?? drawingsOf(readText(PREFIX + market));
  known.set(market, found.length === 0 ? NONE : found);
  return known.get(market)!;
}
