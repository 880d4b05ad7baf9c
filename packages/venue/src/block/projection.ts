import type { BookObserver } from '@oddlot/engine';
import type { AppliedBlock } from './applied-block.ts';
import type { EarlierBlock } from './earlier-block.ts';

/**
 * Something beside the engine that is made of blocks, all of them, in order, replayed ones included.
 * Snapshots hold what it dumps, so that a start need not replay everything.
 */
export type Projection = {
  /** Its name in snapshots. */
  readonly name: string;
  /** Of what `dump` writes. Raised when its shape changes; `restore` then reads the older ones too. */
  readonly version: number;
  /** It is made of what the log says beside its commands, and eras change nothing of it: it goes on through all of them. */
  readonly isOfAllEras?: true;
  /** Who is told how orders fare in their books while a block is applied. */
  readonly observer?: BookObserver | undefined;
  onBlock(block: AppliedBlock): void;
  /** Blocks of an earlier era come here instead; what else they changed comes with the era's start. */
  onEarlierBlock?(block: EarlierBlock): void;
  dump(): unknown;
  /**
   * The version is that of the program which wrote the data, and never above its own. Throws when the
   * data is of another shape; whoever called it then resets.
   */
  restore(data: unknown, version: number): void;
  /** Forgets everything, as before the first block. */
  reset(): void;
};
