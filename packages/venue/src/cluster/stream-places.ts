import type { StreamOpening } from './block-message.ts';

/** The opening is the first message of a stream; blocks follow it without a gap. */
export const OPENING_PLACE = 1;

/** Where a stream has a block. */
export function placeOf({ firstSeq }: StreamOpening, seq: number): number {
  return seq - firstSeq + OPENING_PLACE + 1;
}

/** Which block a stream has at a place. */
export function seqOf({ firstSeq }: StreamOpening, place: number): number {
  return firstSeq + place - OPENING_PLACE - 1;
}
