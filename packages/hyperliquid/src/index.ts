/** The public API of Hyperliquid over a venue with test funds. */
export {
  type HyperliquidPort,
  type HyperliquidPortOptions,
  startHyperliquidPort,
  type VenueAccess,
  type VenueStream,
} from './hyperliquid-port.ts';
