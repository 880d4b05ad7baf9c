import type { StartVenueOptions } from './start-venue-options.ts';
import { TestVenue } from './test-venue.ts';

/** A whole venue inside of this process, with its clock, its prices and its faults in the hand of the caller. */
export async function startVenue(options: StartVenueOptions = {}): Promise<TestVenue> {
  return TestVenue.start(options);
}
