import { present } from '@oddlot/units';

/** Reads a field of a slot that is known to exist. */
export function readSlot(array: Float64Array | Int32Array | Uint8Array, slot: number): number {
  return present(array[slot], 'an order slot');
}
