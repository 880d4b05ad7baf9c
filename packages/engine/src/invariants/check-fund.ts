import { assert } from '@oddlot/units';
import type { State } from '../state/state.ts';

/** R-insurance-fund: what it goes on to unwind at is no further away than its last step. */
export function checkFund({ fundUnwindBands, parameters, perps }: State): void {
  assert(parameters !== undefined || fundUnwindBands.size === 0, 'no venue, nothing to unwind');
  if (parameters === undefined) return;
  const { insuranceUnwindBandE8 } = parameters;
  for (const [id, bandE8] of fundUnwindBands) {
    assert(perps.has(id), `the fund unwinds ${id}, which is listed`);
    const isInside = bandE8 >= 0 && bandE8 <= insuranceUnwindBandE8;
    assert(isInside, `the fund offers ${id} at ${bandE8} from the mark`);
  }
}
