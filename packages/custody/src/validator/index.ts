/** The validator program, for callers that supply a ledger other than the venues' API. */
export { type OwedWithdrawal } from './venue-ledger.ts';
export { bridgeContracts } from './payout-witness.ts';
export { BookDamagedError } from './signed-book.ts';
export { SigningRefusal } from './signing-refusal.ts';
export { type OwnLedger, type RunningValidator, startValidator } from './start-validator.ts';
export {
  readValidatorSettings,
  VALIDATOR_SETTINGS,
  type ValidatorSettings,
} from './validator-settings.ts';
