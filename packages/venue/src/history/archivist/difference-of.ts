import type { BlockHead } from '../../block/applied-block.ts';

type Hashes = Pick<BlockHead, 'hash' | 'stateHash'>;

/** What tells two blocks of one height apart: their states, or else the blocks; undefined when they are the same. */
export function differenceOf(
  own: Hashes,
  recorded: Hashes,
): { readonly own: string; readonly recorded: string } | undefined {
  if (own.stateHash !== recorded.stateHash) {
    return { own: own.stateHash, recorded: recorded.stateHash };
  }
  return own.hash === recorded.hash ? undefined : { own: own.hash, recorded: recorded.hash };
}
