import type { VenueParameters } from '../messages/parameters.ts';
import type { PerpDefinition } from '../messages/perp-definition.ts';
import { markBandMaxE8 } from '../state/mark-band.ts';

/** What a perpetual of format 1 has that today's is made of. */
type Format1Perp = { readonly definition: PerpDefinition };

/** R-mark: a band that was named and is too wide for its margin table becomes the widest. */
export function perpFromFormat1<Perp extends Format1Perp>(
  perp: Perp,
  { liquidationFeeE8 }: Pick<VenueParameters, 'liquidationFeeE8'>,
): Perp {
  const { markBandE8 = 0, ...rest } = perp.definition;
  if (markBandE8 <= markBandMaxE8(perp.definition, liquidationFeeE8)) return perp;
  return { ...perp, definition: rest };
}
