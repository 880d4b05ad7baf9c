export {
  batchData,
  type BridgeNow,
  cancelData,
  finishData,
  ON_CHAIN,
  PAUSED,
  payOutData,
  type Queued,
  readBridge,
  readQueued,
  readState,
  type Refusal,
  refusalOf,
  REFUSED,
  wouldTransfer,
} from './bridge-calls.ts';
export {
  addressOfTopic,
  type BridgeContracts,
  DEPOSIT_TOPIC,
  type DepositLog,
  depositLogsAmong,
  FAILED_PERMIT_TOPIC,
  readDepositLogs,
  RETURN_ID_MIN,
  returnIdOf,
} from './deposit-logs.ts';
export {
  assertOwnKeys,
  deployLocalContracts,
  LOCAL_PAYOUT_GAS,
  localContracts,
} from './local-contracts.ts';
export {
  type Permit,
  type PermitDomain,
  permitSigner,
  type PermitState,
  readPermitDomain,
  readPermitState,
  tryPermit,
} from './permit.ts';
