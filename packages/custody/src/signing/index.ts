/** Validators that sign for the bridge, in this process or in another. */
export { remoteValidator } from './remote-validator.ts';
export {
  type BridgeDomain,
  keyValidator,
  type Payout,
  type Signed,
  type Validator,
  type ValidatorRequest,
} from './bridge-signatures.ts';
