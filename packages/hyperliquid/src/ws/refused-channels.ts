const NO_TWAP = 'This venue has no TWAP orders.';
const NO_SPOT = 'This venue has no spot trading.';
const NO_DEXES = 'This venue has no builder-deployed perps.';
const USE_BLOCKS = 'Blocks and transactions are on /ws of the API of the venue.';

/** Channels that the port does not offer, each with the reason. */
export const REFUSED_CHANNELS: Readonly<Record<string, string>> = {
  activeSpotAssetCtx: NO_SPOT,
  spotAssetCtxs: NO_SPOT,
  spotState: NO_SPOT,
  twapStates: NO_TWAP,
  userTwapHistory: NO_TWAP,
  userTwapSliceFills: NO_TWAP,
  allDexsAssetCtxs: NO_DEXES,
  allDexsClearinghouseState: NO_DEXES,
  assetCtxs: 'Subscribe to activeAssetCtx for each coin, or query metaAndAssetCtxs.',
  webData3: 'Subscribe to webData2.',
  explorerBlock: USE_BLOCKS,
  explorerTxs: USE_BLOCKS,
};
