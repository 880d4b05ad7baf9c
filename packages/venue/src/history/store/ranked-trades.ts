import type { RankedTrade } from '../rows/block-rows.ts';
import { largestTradeCodec } from './row-codecs.ts';

/** A list of ranked trades as one text: what each is ranked by, and the trade. */
export function encodeRanked(trades: readonly RankedTrade[]): string {
  return JSON.stringify(trades.map(({ row, value }) => [value, largestTradeCodec.encode(row)]));
}

export function decodeRanked(text: string): RankedTrade[] {
  const pairs = JSON.parse(text) as readonly (readonly [value: number, row: string])[];
  return pairs.map(([value, row]) => ({ value, row: largestTradeCodec.decode(row) }));
}
