/** What the contract of the bridge is asked, and what its logs say. */
export {
  batchData,
  type BridgeNow,
  cancelData,
  finishData,
  ON_CHAIN,
  PAUSED,
  payOutData,
  readBridge,
  type Queued,
  readQueued,
  readState,
  type Refusal,
  refusalOf,
  REFUSED,
} from './bridge-calls.ts';
export {
  addressOfTopic,
  type BridgeContracts,
  DEPOSIT_TOPIC,
  type DepositLog,
  depositLogsAmong,
  FAILED_PERMIT_TOPIC,
  readDepositLogs,
} from './deposit-logs.ts';
export { deployLocalContracts, LOCAL_PAYOUT_GAS, localContracts } from './local-contracts.ts';
export {
  type Permit,
  type PermitDomain,
  permitSigner,
  type PermitState,
  readPermitDomain,
  readPermitState,
  tryPermit,
} from './permit.ts';
export { RETURN_ID_MIN, returnIdOf } from './return-id.ts';
export { wouldTransfer } from './would-transfer.ts';
export { assertOwnKeys } from './assert-own-keys.ts';
