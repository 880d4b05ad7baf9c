/** The door for whoever has a venue in hand, part by part: a test that moves its clock and its prices. */
export { createLogger } from '@oddlot/host/log';
export { readConfig } from './config.ts';
export { THREADS_HERE } from './compose/threads.ts';
export { type Lease, LocalLease } from './lease/lease.ts';
export { priceDecimals } from './oracle/perp-oracle.ts';
export { startPrice } from './oracle/random-walk.ts';
export { REFERENCE_DECIMALS } from './oracle/reference-feed.ts';
export { CURSOR_KEY_BYTES } from './translate/cursor-seal.ts';
export { openVenue, type OpenedVenue } from './venue.ts';
