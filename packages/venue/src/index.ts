/** The entry point for starting a venue inside another program, such as a test. */
export { type Config, readConfig } from './config.ts';
export { VENUE_SETTINGS } from './settings/venue-settings.ts';
export { startVenue, type Venue, type VenueDependencies } from './venue.ts';
export { runClusterAdmin } from './cluster-admin.ts';
