/** The entry point for the testkit, which controls a venue's clock, prices and faults. */
export { fillRecords } from '@oddlot/history/rows/fill-records';
export { readConfig } from './config.ts';
export { THREADS_HERE } from './compose/threads.ts';
export { priceDecimals } from './oracle/perp-oracle.ts';
export { startPrice } from './oracle/random-walk.ts';
export { REFERENCE_DECIMALS } from './oracle/reference-feed.ts';
export { openVenue, type OpenedVenue } from './venue.ts';
