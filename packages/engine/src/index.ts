/** The door of the engine. */
export { applyBlock } from './apply.ts';
export { checkCommand } from './check.ts';
export { simulateCommand, type Simulation } from './simulate/simulate.ts';
export { createState, type State } from './state.ts';
export { dump, restore, type StateDump } from './dump/dump.ts';
export { checkInvariants } from './invariants/invariants.ts';
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
  payableWithdrawals,
  perpDefinitions,
  perpView,
  reverseJobs,
  scheduledCancel,
  tradeCapacity,
  triggerOrders,
} from './read/read.ts';
export { approvedBuilders, builderState } from './read/read-builders.ts';
export { type OracleAge, oracleAges, type VenueMoney, venueMoney } from './read/read-health.ts';
export { gateStatus, multiSigSigners, vaultEquity } from './read/read-keys.ts';
export { gateRefusal, onlyReduces } from './auth/gate.ts';
export * from './read/read-outcome.ts';
export { nextDueMs } from './next-due.ts';
export { checkNonceWindow } from './auth/nonces.ts';
export { clientOrderKey } from './client-order-id.ts';
export { type VenueParameters } from './parameters.ts';
export {
  type MarginTier,
  type PerpChanges,
  type PerpDefinition,
  type PerpListing,
} from './perp/definition.ts';
export { type FeeTier, fillRate } from './ledger/fee-tiers.ts';
export { type Withdrawal } from './ledger/withdrawals.ts';
export * from './block.ts';
export * from './command.ts';
export * from './event.ts';
export * from './reject.ts';
export type * from './read/views.ts';
export type { MarketDefinition, MarketPhase, SettledMarket } from './outcome/market.ts';
export type { OutcomeLeg } from './outcome/holding.ts';
