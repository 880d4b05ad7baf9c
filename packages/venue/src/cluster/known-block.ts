import type { BlockRange } from './read-history.ts';

/** A block that a replica has told of. */
export type KnownBlock = {
  readonly replica: string;
  readonly height: number;
  /** The first of its blocks in whose place the stream has another one, where it said so. */
  readonly replacedFrom?: number | undefined;
  /** Blocks of the stream in whose place another replica had read others, where it has noticed that. */
  readonly disputed?: BlockRange | undefined;
};

/** Of what is told now and what is remembered: blocks that were replaced come before any height. */
export function higherOf(
  told: KnownBlock | undefined,
  kept: KnownBlock | undefined,
): KnownBlock | undefined {
  if (told?.replacedFrom !== undefined || told?.disputed !== undefined) return told;
  return (kept?.height ?? 0) > (told?.height ?? 0) ? kept : told;
}
