/** The program of a validator, for whoever gives it another ledger than what venues say. */
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
