/** This package provides Hyperliquid's public API for a venue with test funds. */
export {
  type HyperliquidPort,
  type HyperliquidPortOptions,
  startHyperliquidPort,
} from './hyperliquid-port.ts';
export type { StreamPath, VenueAccess, VenueStream } from './venue-access.ts';
