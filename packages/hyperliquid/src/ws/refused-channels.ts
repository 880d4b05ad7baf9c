const USE_BLOCKS = 'Blocks and transactions are on /ws of the API of the venue.';

/** The channels that the port does not support, with the reason for each. */
export const REFUSED_CHANNELS: Readonly<Record<string, string>> = {
  activeSpotAssetCtx: 'This venue has no spot trading.',
  explorerBlock: USE_BLOCKS,
  explorerTxs: USE_BLOCKS,
};
