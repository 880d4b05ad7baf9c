/** The door of the engine. */
export { applyBlock } from './apply-block.ts';
export { checkCommand } from './check-command.ts';
export { signerOf } from './commands/commands.ts';
export { passesRestricted } from './commands/passes-restricted.ts';
export { simulateCommand } from './simulate/simulate-command.ts';
export { createState, type State } from './state/state.ts';
export type { BookArrival, BookObserver } from './state/book-observer.ts';
export { dump, dumpPacked, type PackedDump, restore, type StateDump } from './dump/dump.ts';
export type { Column } from './dump/narrow-column.ts';
export type { OrderBlock } from './dump/order-blocks.ts';
export { fromRules3, type Rules3Dump } from './dump/from-rules-3.ts';
export { DUMP_VERSION, PACKED_DUMP_VERSION, RULES_VERSION } from './messages/versions.ts';
export { checkInvariants } from './invariants/check-invariants.ts';
export {
  accountView,
  agentOwner,
  agentsOf,
  bookLevels,
  childOrders,
  feeTierView,
  findOrder,
  hasAccount,
  openOrders,
  perpDefinitions,
  perpView,
  reverseJobs,
  tradeCapacity,
  triggerOrders,
  waitingSince,
} from './read/read.ts';
export {
  bridgeView,
  type BridgeView,
  grantedMicroUsdc,
  depositStanding,
  isDepositRemembered,
  newestDeposits,
  owedMicroUsdc,
} from './read/read-bridge.ts';
export type { CreditedDeposit } from './state/bridge.ts';
export { approvedBuilders, builderState } from './read/read-builders.ts';
export { oracleAges, venueMoney } from './read/read-health.ts';
export { liveOrderOf, lotsAhead } from './read/read-queue.ts';
export { liabilities, liabilitiesMax, VENUE_ADDRESS } from './read/read-liabilities.ts';
export { gateStatus, multiSigSigners, vaultEquity } from './read/read-keys.ts';
export { gateRefusal } from './auth/gate.ts';
export { premiumCapE8 } from './perp/funding.ts';
export * from './read/read-outcome.ts';
export { outcomeHolders, type HolderPlace } from './read/read-holders.ts';
export { seriesOutlook } from './read/series-outlook.ts';
export { accountWorth, tradeSettings, worthOfHolders } from './read/read-worth.ts';
export {
  doWithdrawalsWait,
  nextWithdrawalId,
  openWithdrawals,
  type OpenWithdrawal,
} from './read/read-withdrawals.ts';
export { listingFault } from './handlers/register-market.ts';
export { utcDay, utcMinute } from './outcome/utc-text.ts';
export { nextDueMs } from './read/next-due-ms.ts';
export { checkNonceWindow, nonceWindow } from './auth/nonces.ts';
export { clientOrderKey } from './messages/client-order-key.ts';
export { type VenueParameters } from './messages/parameters.ts';
export {
  type MarginTier,
  type PerpChanges,
  type PerpDefinition,
  type PerpListing,
} from './messages/perp-definition.ts';
export { type FeeTier } from './messages/fee-tier.ts';
export { fillRate } from './ledger/fill-rate.ts';
export * from './messages/block.ts';
export * from './messages/command.ts';
export * from './messages/event.ts';
export * from './messages/reject.ts';
export type * from './read/views.ts';
export type { MarketPhase, OutcomeLeg } from './messages/outcome-terms.ts';
export type { BuilderDrop, EntryResult, OrderStatus } from './messages/order-result.ts';
