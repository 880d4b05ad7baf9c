import { present } from '@oddlot/units';

// One function for each kind of array: one for both would have to find out which it is, each time.

/** Reads a Float64 field of a slot that is known to exist. */
export function readSlot(array: Float64Array, slot: number): number {
  return present(array[slot], 'an order slot');
}

/** Reads an Int32 field of a slot that is known to exist. */
export function readSlotInt(array: Int32Array, slot: number): number {
  return present(array[slot], 'an order slot');
}
