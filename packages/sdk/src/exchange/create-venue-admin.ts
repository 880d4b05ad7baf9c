import type { OperatorOptions } from './operator-options.ts';
import { pushOracle, type PushOracleParameters } from './push-oracle.ts';
import { registerPerp, type RegisterPerpParameters } from './register-perp.ts';
import { registerVault, type RegisterVaultParameters } from './register-vault.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';
import { setFeeTiers, type SetFeeTiersParameters } from './set-fee-tiers.ts';
import { setGate, type SetGateParameters } from './set-gate.ts';
import { setOperators, type SetOperatorsParameters } from './set-operators.ts';
import { setPerp, type SetPerpParameters } from './set-perp.ts';
import { treasurySend, type TreasurySendParameters } from './treasury-send.ts';

type Confirmation = 'executed' | undefined;

/** The variants of `venueAdmin`, bound to a venue and a wallet. */
export type VenueAdminClient = ReturnType<typeof createVenueAdmin>;

/** Binds the operator's actions. Written out, so that `confirm` types the replies. */
export function createVenueAdmin(context: ExchangeContext) {
  return {
    registerPerp: <Confirm extends Confirmation = undefined>(
      parameters: RegisterPerpParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => registerPerp(context, parameters, options),
    setPerp: <Confirm extends Confirmation = undefined>(
      parameters: SetPerpParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => setPerp(context, parameters, options),
    pushOracle: <Confirm extends Confirmation = undefined>(
      parameters: PushOracleParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => pushOracle(context, parameters, options),
    setFeeTiers: <Confirm extends Confirmation = undefined>(
      parameters: SetFeeTiersParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => setFeeTiers(context, parameters, options),
    setGate: <Confirm extends Confirmation = undefined>(
      parameters: SetGateParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => setGate(context, parameters, options),
    registerVault: <Confirm extends Confirmation = undefined>(
      parameters: RegisterVaultParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => registerVault(context, parameters, options),
    treasurySend: <Confirm extends Confirmation = undefined>(
      parameters: TreasurySendParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => treasurySend(context, parameters, options),
    setOperators: <Confirm extends Confirmation = undefined>(
      parameters: SetOperatorsParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => setOperators(context, parameters, options),
  };
}
