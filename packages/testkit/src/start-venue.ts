import type { StartVenueOptions } from './start-venue-options.ts';
import { TestVenue } from './test-venue.ts';

/**
 * Starts a complete venue inside this process. The caller controls its clock, prices and faults.
 */
export async function startVenue(options: StartVenueOptions = {}): Promise<TestVenue> {
  return TestVenue.start(options);
}
