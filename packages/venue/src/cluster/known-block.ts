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
