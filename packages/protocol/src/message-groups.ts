/**
 * The refusal texts that clients also produce, for faults that they find before they send a
 * request. Each is a separate constant, so that a client bundles only these instead of the whole
 * table.
 */

export const invalidMultiSigSigners = (): string => 'Invalid multi-sig signers';
export const notAllowed = (): string => 'This action is not allowed.';
export const missingField = (name: string): string => `Missing field: ${name}`;
export const wrongType = (name: string): string => `Wrong type for ${name}`;
export const entryCount = (name: string, min: number, max: number): string =>
  `${name} must hold ${min} to ${max} entries`;
export const vaultNotAllowed = (): string => 'vaultAddress is not allowed for this action';
export const nonceTooFar = (): string => 'Nonce too far in the future';
export const nonceDiffers = (): string => 'Action nonce does not match envelope nonce';
export const networkMismatch = (expected: string, got: string): string =>
  `Network mismatch: expected ${expected}, got ${got}`;
export const chainIdMismatch = (expected: number, got: number): string =>
  `Chain ID mismatch: expected ${expected}, got ${got}`;
export const apiVersionMismatch = (expected: number, got: number): string =>
  `API version mismatch: expected ${expected}, got ${got}`;
export const expiryNotAllowed = (): string => 'expiresAfter is not allowed for this action';
export const invalidMaxFeeRate = (): string => 'Invalid max fee rate';

/**
 * Every refusal text used by the venue, grouped by error name. Clients match these texts, so each
 * is defined only once and built by a function whose parameters fill in the values.
 */

const INVALID = {
  priceOffTick: (tick: string) => `Price precision does not match the tick size: ${tick}`,
  sizeOffLot: (lot: string) => `Size precision does not match the lot size: ${lot}`,
  sizeAboveMax: (max: string | number) => `Order size exceeds the maximum: ${max}`,
  sizeBelowMin: (min: string | number) => `Order size is below the minimum: ${min}`,
  valueBelowMin: (min: string | number) => `Order must have a minimum value of ${min} USDC`,
  priceOutOfRange: () => 'Price is out of range',
  priceFarFromOracle: () => 'Price is too far from the oracle',
  tradingHalted: (name: string) => `Trading is halted for ${name}`,
  delisted: (name: string) => `Instrument is delisted: ${name}`,
  oracleStale: (name: string) => `Oracle is stale for ${name}`,
  mixedExchanges: () => 'Orders of one action must belong to one exchange',
  invalidCursor: () => 'Invalid cursor',
  sortOrderWithEndingSoon: () => 'sortOrder is not allowed with endingSoon',
  contractWithCoin: () => 'contract is not allowed with coin',
  invalidLimit: () => 'Invalid limit',
  invalidOffset: () => 'Invalid offset',
  resultWindowTooLarge: () => 'Result window is too large',
  invalidMultiSigSigners,
  scheduleTooSoon: () => 'time must be at least 5 s ahead',
  unknownToken: (token: number) => `Unknown token: ${token}`,
  faucetLimit: () => 'Faucet limit reached',
  insuranceBelowTarget: () => 'Insurance fund is below its target',
  adminsNone: () => 'At least one admin must remain',
};

const NOT_ALLOWED = {
  notAllowed,
};

const BAD_REQUEST = {
  malformedJson: (why: string, at: number) => `Malformed JSON: ${why} at ${at}`,
  duplicateKey: (key: string) => `Duplicate key: ${key}`,
  notAnInteger: (text: string) => `Not an integer: ${text}`,
  integerOutOfRange: (text: string) => `Integer out of range: ${text}`,
  nestedTooDeeply: (max: number) => `Nested deeper than ${max} levels`,
  notAnObject: () => 'The body is not a JSON object',
  bodyTooLarge: (bytesMax: number) => `The body exceeds ${bytesMax} bytes`,
  unknownFieldsTooLarge: (bytesMax: number) => `Unknown fields exceed ${bytesMax} bytes`,
  wrongContentType: () => 'The content type is not application/json',
  missingField,
  wrongType,
  invalidValue: (name: string, why: string) => `Invalid ${name}: ${why}`,
  entryCount,
  exchangeIdRefused: () => 'exchangeId is not accepted',
};

const UNAUTHORIZED = {
  agentNotAuthorized: (agent: string) =>
    `Authorization failed: Agent ${agent} is not authorized by any account`,
  signerNotUser: () => 'Signer does not match user',
  invalidSignature: () => 'Invalid signature',
  vaultNotAllowed,
  vaultUnknown: (vault: string) => `Vault not registered: ${vault}`,
  notVaultLeader: (vault: string) => `Not the leader of vault ${vault}`,
  multiSigRequired: () => 'Multi-sig account requires a multiSig payload',
  notMultiSig: (user: string) => `Not a multi-sig account: ${user}`,
  notEnoughSignatures: (count: number, threshold: number) =>
    `Not enough signatures: ${count} of ${threshold}`,
  signerNotInSet: (signer: string, user: string) =>
    `Signer ${signer} is not authorized for ${user}`,
  signerNotPermitted: (type: string) => `Signer is not permitted to send ${type}`,
};

const BAD_NONCE = {
  nonceUsed: () => 'Nonce already used',
  nonceTooLow: (floor: number) => `Nonce too low: must be above ${floor}`,
  nonceTooOld: () => 'Nonce too old',
  nonceTooFar,
  nonceBeforeVenue: (beganMs: number) =>
    `Nonce is from before this venue began: must be above ${beganMs}`,
  nonceDiffers,
};

const MISMATCH = {
  networkMismatch,
  chainIdMismatch,
  apiVersionMismatch,
};

const NO_ACCOUNT = {
  noAccount: () => 'No trading account found. Please deposit first.',
  depositFirst: () => 'Please deposit first',
};

/** These are also the values of `reason` in the account status. */
const GATED = {
  exchangeClosed: () => 'Exchange is not allowed',
  userBlacklisted: () => 'User is blacklisted',
  userNotWhitelisted: () => 'User not in whitelist',
  userNotAuthorized: () => 'User not authorized for this channel',
  unknownChannel: () => 'Unknown channel',
  noTradingAccount: () => 'No trading account found',
  dbUnavailable: (why: string) => `db_service unavailable: ${why}`,
};

const AGENT = {
  agentIsSelf: () => 'Cannot approve self as agent',
  agentAddressUsed: () => 'Agent address is already used',
  agentLabelUnknown: () => 'Agent with this label does not exist',
  agentsFull: () => 'Max agents per account reached (100)',
  agentNameTooLong: () => 'Agent name length exceeds maximum of 64 characters',
};

const LEVERAGE = {
  leverageOpenOrders: () => 'Cannot update leverage while you have open orders',
  leverageTpslOrders: () => 'Cannot update leverage while you have TPSL orders',
  leverageTriggerOrders: () => 'Cannot update leverage while you have trigger orders',
  leverageAboveMax: (name: string) => `Maximum leverage exceeded for ${name}`,
  marginTierMissing: () => 'Margin tier not found',
  positionModeOpenPositions: () => 'Cannot update position mode while you have open positions',
  positionModeOpenOrders: () => 'Cannot update position mode while you have open orders',
  marginModeDiffers: () => "Margin mode differs from the open position's",
  marginModeOpenPositions: () => 'Cannot update margin mode while you have open positions',
  marginModeOpenOrders: () => 'Cannot update margin mode while you have open orders',
  onlyIsolated: (name: string) => `Only isolated margin is allowed for ${name}`,
  invalidLeverage: (leverage: number) => `Invalid leverage: ${leverage}`,
};

const MARGIN = {
  insufficientMargin: () => 'Insufficient margin',
  insufficientBalance: () => 'Insufficient balance',
  noIsolatedPosition: (name: string) => `No isolated position for ${name}`,
  noPosition: (name: string) => `No position for ${name}`,
  positionLimit: (name: string) => `Position limit exceeded for ${name}`,
  marginNotFree: () => 'Cannot remove more margin than is free',
};

const ORDER = {
  marketClosing: () => 'Market is closing',
  orderNotFound: () => 'Order not found',
  orderExpiredQueued: () => 'Order expired while queued',
  orderGone: (asset: number) =>
    `Order was never placed, already canceled, or filled. asset=${asset}`,
  orderQueued: () => 'Order is queued and cannot be cancelled before release',
  postOnlyWouldMatch: () => 'Post only order would have immediately matched',
  reduceOnlyWouldIncrease: () => 'Reduce only order would increase position',
  invalidCloid: () => 'Invalid cloid format',
  duplicateCloid: () => 'Duplicate cloid',
  tooManyOpenOrders: (max: number) => `Too many open orders: ${max}`,
  iocOnOutcome: () => 'Ioc is not supported for outcome markets',
  triggerOnOutcome: () => 'Trigger orders are not supported for outcome markets',
  amendWouldTake: () => 'Amend would take liquidity on a delayed market',
  expireTimeTooSoon: () => 'Expire time must be at least 5 s ahead',
  marketClosed: () => 'Market is closed',
  reverseUnderWay: (name: string) => `A reverse is already under way for ${name}`,
};

const BUILDER = {
  noBuilderRewards: () => 'No unclaimed builder rewards',
  builderIsSigner: () => 'Builder cannot be the signer',
  invalidBuilder: () => 'Invalid builder address',
  invalidMaxFeeRate,
  buildersFull: () => 'Max approved builders reached (20)',
  builderNotApproved: () => 'Builder is not approved',
};

const FUNDS = {
  depositBelowMin: () => 'Below minimum deposit amount',
  withdrawBelowMin: () => 'Below minimum withdraw amount',
  permitFailed: () => 'Permit deposit failed',
  deadlineOutOfRange: () => 'Deadline out of range',
  sameSourceAndDestination: () => 'Source and destination are the same',
  transferBelowMin: () => 'Below minimum transfer amount',
  invalidAddress: () => 'Invalid address',
};

const OUTCOME = {
  notOutcome: () => 'Instrument is not an outcome market',
  outcomeResolved: () => 'Outcome market is resolved',
  insufficientShares: () => 'Insufficient shares',
  insufficientSharesToMerge: () => 'Insufficient shares to merge',
};

const EXPIRED = {
  actionExpired: (expiresAfter: number, time: number) =>
    `Action expired: expiresAfter ${expiresAfter}, consensus time ${time}`,
  expiryNotAllowed,
};

const DEPLOY = {
  slugUsed: (slug: string) => `Slug already used: ${slug}`,
  seriesUnknown: (slug: string) => `Unknown series: ${slug}`,
  instrumentIdUsed: (id: number) => `Instrument id already used: ${id}`,
  nameUsed: (name: string) => `Name already used: ${name}`,
  invalidMarginTable: (why: string) => `Invalid margin table: ${why}`,
  invalidMarkBand: (why: string) => `Invalid mark band: ${why}`,
  invalidPhaseChange: (from: string, to: string) => `Invalid phase change: ${from} to ${to}`,
  alreadyResolved: () => 'Already resolved',
  fractionsNotOne: () => 'Fractions of the event must sum to 1',
};

/** The refusal texts by error name. */
export const MESSAGE_GROUPS = {
  INVALID,
  NOT_ALLOWED,
  BAD_REQUEST,
  UNAUTHORIZED,
  BAD_NONCE,
  MISMATCH,
  NO_ACCOUNT,
  GATED,
  AGENT,
  LEVERAGE,
  MARGIN,
  ORDER,
  BUILDER,
  VERSION: { unsupportedVersion: (got: string) => `Unsupported x-api-version: ${got}` },
  FUNDS,
  OUTCOME,
  EXPIRED,
  DEPLOY,
  RATE_LIMITED: {
    rateLimited: () => 'rate limit exceeded',
    tooMuchWork: (what: string, ms: number) => `Too much work: ${what} cost ${ms} ms`,
  },
  NOT_FOUND: {
    eventNotFound: () => 'Event not found',
    instrumentNotFound: () => 'Instrument not found',
    transactionNotFound: () => 'Transaction not found',
    blockNotFound: () => 'Block not found',
    noSuchOrder: () => 'Order not found',
    pathNotFound: () => 'Not found',
  },
  INTERNAL: { internal: () => 'Internal error' },
  UNAVAILABLE: {
    unavailable: () => 'Service unavailable',
    diskNearlyFull: () => 'Disk is nearly full',
    historyBehind: (height: number) => `History is at block ${height}`,
    stateBehind: (height: number) => `State is at block ${height}`,
    clockOff: (ms: number) => `Clock is off by ${ms} ms`,
    logSilent: () => 'The log has no quorum',
    logLost: (height: number) => `The log has lost blocks from ${height} on`,
    replicasDiffer: (height: number) => `Replicas differ at block ${height}`,
    rulesAnnounced: (rules: number, own: number) =>
      `Rules ${rules} are announced, and this process has rules ${own}`,
  },
};
