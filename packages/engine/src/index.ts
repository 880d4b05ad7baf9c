export { applyBlock } from './apply-block.ts';
export { checkCommand, passesRestricted, signerOf } from './commands/commands.ts';
export { simulateCommand } from './simulate/simulate-command.ts';
export { tradeCapacityAt } from './simulate/trade-capacity-at.ts';
export { type BookArrival, type BookObserver, createState, type State } from './state/state.ts';
export {
  dump,
  DUMP_VERSION,
  dumpPacked,
  PACKED_DUMP_VERSION,
  type PackedDump,
  restore,
  RULES_VERSION,
  type StateDump,
} from './dump/dump.ts';
export type { Column, OrderBlock } from './dump/dump-orders.ts';
export { fromRules3, type Rules3Dump } from './dump/from-rules-3.ts';
export { checkInvariants } from './check-invariants.ts';
export {
  accountView,
  agentOwner,
  agentsOf,
  bookLevels,
  canBeLiquidated,
  childOrders,
  feeTierView,
  findOrder,
  hasAccount,
  isListedPerp,
  liveOrderOf,
  lotsAhead,
  netPosition,
  openOrders,
  perpDefinitions,
  perpView,
  reverseJobs,
  tradeCapacity,
  triggerOrders,
  waitingSince,
} from './read/read.ts';
export {
  type BridgeView,
  bridgeView,
  depositStatus,
  doWithdrawalsWait,
  grantedMicroUsdc,
  isDepositRemembered,
  newestDeposits,
  nextWithdrawalId,
  type OpenWithdrawal,
  openWithdrawals,
  owedMicroUsdc,
} from './read/read-bridge.ts';
export type { CreditedDeposit } from './state/bridge.ts';
export { termOf } from './auth/authorize.ts';
export {
  approvedBuilders,
  builderState,
  gateStatus,
  multiSigSigners,
  vaultEquity,
} from './read/read-permissions.ts';
export { nextDueMs, oracleAges, venueMoney } from './read/read-health.ts';
export {
  accountWorth,
  liabilities,
  liabilitiesMax,
  tradeSettings,
  VENUE_ADDRESS,
  worthOfHolders,
} from './read/read-liabilities.ts';
export { gateRefusal } from './auth/gate.ts';
export { premiumCapE8 } from './perp/funding.ts';
export * from './read/read-outcome.ts';
export { listingFault } from './commands/outcome.ts';
export { utcDay, utcMinute } from './outcome/series.ts';
export { checkNonceWindow, nonceWindow } from './auth/nonces.ts';
export type { FeeTier, VenueParameters } from './messages/parameters.ts';
export { fillRate } from './ledger/fees.ts';
export * from './messages/block.ts';
export * from './messages/command.ts';
export * from './messages/event.ts';
export * from './messages/reject.ts';
export type * from './read/views.ts';
