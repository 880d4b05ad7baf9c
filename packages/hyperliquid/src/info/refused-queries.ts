const NO_VAULTS = 'This venue has no vaults that accept deposits through this API.';
const NO_STAKING = 'This venue has no staking.';
const NO_LENDING = 'This venue has no lending.';
const NO_SPOT = 'This venue has no spot trading.';
const NO_DEXES = 'This venue has no builder-deployed perps.';
const USE_BLOCKS = 'Query blocks and transactions with the API of the venue.';

/** The queries that the port does not support, with the reason for each. */
export const REFUSED_QUERIES: Readonly<Record<string, string>> = {
  vaultDetails: NO_VAULTS,
  vaultSummaries: NO_VAULTS,
  leadingVaults: NO_VAULTS,
  delegations: NO_STAKING,
  delegatorHistory: NO_STAKING,
  delegatorRewards: NO_STAKING,
  delegatorSummary: NO_STAKING,
  validatorSummaries: NO_STAKING,
  validatorL1Votes: NO_STAKING,
  allBorrowLendReserveStates: NO_LENDING,
  borrowLendReserveState: NO_LENDING,
  borrowLendUserState: NO_LENDING,
  userBorrowLendInterest: NO_LENDING,
  tokenDetails: NO_SPOT,
  alignedQuoteTokenInfo: NO_SPOT,
  spotDeployState: NO_SPOT,
  spotPairDeployAuctionStatus: NO_SPOT,
  perpDeployAuctionStatus: NO_DEXES,
  perpDexLimits: NO_DEXES,
  perpDexStatus: NO_DEXES,
  blockDetails: USE_BLOCKS,
  txDetails: USE_BLOCKS,
  userDetails: USE_BLOCKS,
  outcomeMeta: 'Outcome markets are not available on this port. Use the API of the venue.',
};
