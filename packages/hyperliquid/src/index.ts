/** The public API of Hyperliquid over a venue with test funds. */
export {
  type HyperliquidPort,
  type HyperliquidPortOptions,
  startHyperliquidPort,
} from './hyperliquid-port.ts';
export type { StreamPath, VenueAccess, VenueStream } from './venue-access.ts';
