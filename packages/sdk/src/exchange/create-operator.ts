import { type ActionOptions, type ExchangeContext, sendAction } from './send-action.ts';
import {
  type ActionInputOf,
  type ActionOf,
  outcomeDeployShape,
  venueAdminShape,
} from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';

/** Operator actions act for the venue, never for a vault. */
export type OperatorOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress'
>;

type Confirmation = 'executed' | undefined;
type AdminVariants = Omit<ActionInputOf<'venueAdmin'>, 'type'>;
/** The variants with these parameters. */
type VariantOf<Parameters> = {
  [Name in keyof AdminVariants]: NonNullable<AdminVariants[Name]> extends Parameters ? Name : never;
}[keyof AdminVariants];

/** A perp with its names, steps, sizes, fees and margin table, spelled as on the wire. */
export type RegisterPerpParameters = NonNullable<AdminVariants['registerPerp']>;

/** The perp, and at least one change. */
export type SetPerpParameters = NonNullable<AdminVariants['setPerp']>;

/** Up to 200 prices with their observation time. */
export type PushOracleParameters = NonNullable<AdminVariants['pushOracle']>;

/** The fee schedule, level 0 first. */
export type SetFeeTiersParameters = NonNullable<AdminVariants['setFeeTiers']>;

/** The channel, its mode, and the changes of its lists. */
export type SetGateParameters = NonNullable<AdminVariants['setGate']>;

/** A vault: its address, leader, name and, to replace them, its shares. */
export type RegisterVaultParameters = NonNullable<AdminVariants['registerVault']>;

/** The recipient and the amount in USDC. */
export type TreasurySendParameters = NonNullable<AdminVariants['treasurySend']>;

/** The list, its additions, and its removals, which apply afterwards. */
export type SetOperatorsParameters = NonNullable<AdminVariants['setOperators']>;

/** The variants of `venueAdmin`, bound to a venue and a wallet. */
export type VenueAdminClient = ReturnType<typeof createVenueAdmin>;

/**
 * Binds the operator's actions: each is one variant of `venueAdmin`.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
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
     * Sends oracle prices. A price that is too old, too far ahead or for an unknown market is skipped and the others
     * count: a confirmed reply has the first skipped one in `failure`, without throwing.
     */
    pushOracle: send<PushOracleParameters>('pushOracle'),
    /** Replaces the fee schedule, starting with the next fill. */
    setFeeTiers: send<SetFeeTiersParameters>('setFeeTiers'),
    /**
     * Opens or closes a channel to new risk: for all, for listed addresses, or by access code.
     * Cancels, reducing orders, transfers and withdrawals always pass.
     */
    setGate: send<SetGateParameters>('setGate'),
    /**
     * Makes an account a vault, or changes its leader and name. The leader then trades for it by
     * `forVault`; only the vault's own key can move its money.
     */
    registerVault: send<RegisterVaultParameters>('registerVault'),
    /** Pays collected fees to the perp balance of an account, while the insurance fund is at its target. */
    treasurySend: send<TreasurySendParameters>('treasurySend'),
    /**
     * Changes the keys that may send `venueAdmin` (admins) or `outcomeDeploy` (deployers). The last
     * admin cannot be removed.
     */
    setOperators: send<SetOperatorsParameters>('setOperators'),
  };
}

/** Parameters of a caller are read, never changed. */
type Given<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Given<Value[Key]> }
  : Value;
type OutcomeVariants = Given<Omit<ActionOf<'outcomeDeploy'>, 'type'>>;

/** A group of related markets; an existing slug gets new texts. */
export type RegisterEventParameters = NonNullable<OutcomeVariants['registerEvent']>;

/** A market of an event. It opens and closes automatically at its times. */
export type RegisterMarketParameters = NonNullable<OutcomeVariants['registerMarket']>;

/** Consecutive up-or-down markets on a price, listed and resolved automatically. */
export type RegisterSeriesParameters = NonNullable<OutcomeVariants['registerSeries']>;

/** Opens, halts or closes up to 50 markets, all or none. */
export type SetTradingParameters = NonNullable<OutcomeVariants['setTrading']>;

/** Up to 100 observations of reference prices. */
export type PushPriceParameters = NonNullable<OutcomeVariants['pushPrice']>;

/** The payout of a YES share of a closed market, from 0 to 1. It is final. */
export type ResolveParameters = NonNullable<OutcomeVariants['resolve']>;

/** The variants of `outcomeDeploy`, bound to a venue and a wallet. */
export type OutcomeDeployClient = ReturnType<typeof createOutcomeDeploy>;

/** Binds the deployer's actions, with explicit signatures so that `confirm` determines the reply. */
export function createOutcomeDeploy(context: ExchangeContext) {
  const deploy = <Confirm extends Confirmation>(
    variant: OutcomeVariants,
    options: OperatorOptions<Confirm> | undefined,
  ): Promise<ReplyOf<Confirm>> => {
    const action = { type: 'outcomeDeploy', ...variant } as ActionInputOf<'outcomeDeploy'>;
    return sendAction(context, outcomeDeployShape, () => action, options);
  };
  return {
    /** A confirmed reply has `created.eventId`. */
    registerEvent: <Confirm extends Confirmation = undefined>(
      registerEvent: RegisterEventParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerEvent }, options),
    /** A confirmed reply has `created.instrumentId`. */
    registerMarket: <Confirm extends Confirmation = undefined>(
      registerMarket: RegisterMarketParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerMarket }, options),
    /** A confirmed reply has `created.seriesSlug`. */
    registerSeries: <Confirm extends Confirmation = undefined>(
      registerSeries: RegisterSeriesParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerSeries }, options),
    setTrading: <Confirm extends Confirmation = undefined>(
      setTrading: SetTradingParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ setTrading }, options),
    /** A stale price is skipped and the others count; a confirmed reply has it in `failure`. */
    pushPrice: <Confirm extends Confirmation = undefined>(
      pushPrice: PushPriceParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ pushPrice }, options),
    resolve: <Confirm extends Confirmation = undefined>(
      resolve: ResolveParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ resolve }, options),
  };
}
