import { venueAdminShape, type ActionInputOf } from '@oddlot/protocol';
import type { OperatorOptions } from './operator-options.ts';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';

type Confirmation = 'executed' | undefined;
type Variants = Omit<ActionInputOf<'venueAdmin'>, 'type'>;
/** The variants that take such parameters. */
type VariantOf<Parameters> = {
  [Name in keyof Variants]: NonNullable<Variants[Name]> extends Parameters ? Name : never;
}[keyof Variants];

/** A perp: names, steps, sizes, fees and margin table, spelled as on the wire. */
export type RegisterPerpParameters = NonNullable<Variants['registerPerp']>;

/** The perp, and at least one thing to change. */
export type SetPerpParameters = NonNullable<Variants['setPerp']>;

/** Up to 200 prices, and when they were observed. */
export type PushOracleParameters = NonNullable<Variants['pushOracle']>;

/** The ladder, level 0 first. */
export type SetFeeTiersParameters = NonNullable<Variants['setFeeTiers']>;

/** The channel, its mode, and who is added to or taken from its lists. */
export type SetGateParameters = NonNullable<Variants['setGate']>;

/** A vault: its address, leader, name and, to replace them, its shares. */
export type RegisterVaultParameters = NonNullable<Variants['registerVault']>;

/** Who is paid, and how much USDC. */
export type TreasurySendParameters = NonNullable<Variants['treasurySend']>;

/** Which list, whom to add to it, and whom to take away after that. */
export type SetOperatorsParameters = NonNullable<Variants['setOperators']>;

/** The variants of `venueAdmin`, bound to a venue and a wallet. */
export type VenueAdminClient = ReturnType<typeof createVenueAdmin>;

/**
 * Binds the operator's actions: each is one variant of `venueAdmin`.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError, each of them
 */
export function createVenueAdmin(context: ExchangeContext) {
  const send =
    <Parameters>(name: string & VariantOf<Parameters>) =>
    <Confirm extends Confirmation = undefined>(
      parameters: Parameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => {
      const action = { type: 'venueAdmin', [name]: parameters } as ActionInputOf<'venueAdmin'>;
      return sendAction(context, venueAdminShape, () => action, options);
    };
  return {
    /**
     * Lists a perp. Trading starts with its first oracle price; a confirmed reply has the id in
     * `created.instrumentId`.
     */
    registerPerp: send<RegisterPerpParameters>('registerPerp'),
    /** Changes, halts or delists a perp. Delisting is final and starts a one-hour closing period. */
    setPerp: send<SetPerpParameters>('setPerp'),
    /**
     * Feeds oracle prices. A price that is too old, from too far ahead or of no market is skipped and the
     * others count: a confirmed reply has the first such in `failure`, it is not thrown.
     */
    pushOracle: send<PushOracleParameters>('pushOracle'),
    /** Replaces the ladder of fee tiers, from the next fill on. */
    setFeeTiers: send<SetFeeTiersParameters>('setFeeTiers'),
    /**
     * Opens or closes a channel to new risk: for all, for listed addresses, or by access code. Cancels,
     * reducing orders, transfers and withdrawals always pass.
     */
    setGate: send<SetGateParameters>('setGate'),
    /**
     * Makes an account a vault, or replaces the leader and name of one. Its leader then trades for it by
     * `forVault`; its money moves by its own key alone.
     */
    registerVault: send<RegisterVaultParameters>('registerVault'),
    /** Pays collected fees to the perp balance of an account, while the insurance fund is at its target. */
    treasurySend: send<TreasurySendParameters>('treasurySend'),
    /** Changes who may send `venueAdmin` (admins) or `outcomeDeploy` (deployers). The last admin stays. */
    setOperators: send<SetOperatorsParameters>('setOperators'),
  };
}
