import type { OperatorOptions } from './operator-options.ts';
import { pushOracle, type PushOracleParameters } from './push-oracle.ts';
import { registerPerp, type RegisterPerpParameters } from './register-perp.ts';
import type { ReplyOf } from './reply.ts';
import type { ExchangeContext } from './send-action.ts';
import { setFeeTiers, type SetFeeTiersParameters } from './set-fee-tiers.ts';
import { setPerp, type SetPerpParameters } from './set-perp.ts';

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
  };
}
