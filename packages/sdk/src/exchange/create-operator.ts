import { type ActionOptions, type ExchangeContext, sendAction } from './send-action.ts';
import {
  type ActionInputOf,
  type ActionOf,
  outcomeDeployShape,
  venueAdminShape,
} from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';

/** Options for operator actions, which act for the venue and never for a vault. */
export type OperatorOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress'
>;

type Confirmation = 'executed' | undefined;
type AdminVariants = Omit<ActionInputOf<'venueAdmin'>, 'type'>;
/** The names of the variants that have these parameters. */
type VariantOf<Parameters> = {
  [Name in keyof AdminVariants]: NonNullable<AdminVariants[Name]> extends Parameters ? Name : never;
}[keyof AdminVariants];

/** The perp to list, with its names, steps, sizes, fees and margin table, spelled as in the API. */
export type RegisterPerpParameters = NonNullable<AdminVariants['registerPerp']>;

/** The perp to change, with at least one change. */
export type SetPerpParameters = NonNullable<AdminVariants['setPerp']>;

/** Up to 200 oracle prices, with the time they were observed. */
export type PushOracleParameters = NonNullable<AdminVariants['pushOracle']>;

/** The fee schedule, starting with level 0. */
export type SetFeeTiersParameters = NonNullable<AdminVariants['setFeeTiers']>;

/** The channel, its access mode, and the changes to its lists. */
export type SetGateParameters = NonNullable<AdminVariants['setGate']>;

/**
 * The vault to register: its address, leader and name, and optionally the shares to replace the
 * current ones.
 */
export type RegisterVaultParameters = NonNullable<AdminVariants['registerVault']>;

/** The recipient of a payment, and its amount in USDC. */
export type TreasurySendParameters = NonNullable<AdminVariants['treasurySend']>;

/** The list of operators to change, with the addresses to add and those to remove. */
export type SetOperatorsParameters = NonNullable<AdminVariants['setOperators']>;

/** The variants of `venueAdmin` for one venue and one wallet. */
export type VenueAdminClient = ReturnType<typeof createVenueAdmin>;

/**
 * Creates the operator's actions. Each sends one variant of `venueAdmin`.
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
     * Lists a perp. Trading starts with its first oracle price. A confirmed reply gives the id in
     * `created.instrumentId`.
     */
    registerPerp: send<RegisterPerpParameters>('registerPerp'),
    /** Changes, halts or delists a perp. Delisting is final and starts a closing hour. */
    setPerp: send<SetPerpParameters>('setPerp'),
    /**
     * Sends oracle prices. A price that is too old, too far ahead or for an unknown market is
     * skipped, and the other prices are accepted. No error is thrown; the `failure` of a confirmed
     * reply names the first skipped price.
     */
    pushOracle: send<PushOracleParameters>('pushOracle'),
    /** Replaces the fee schedule, starting with the next fill. */
    setFeeTiers: send<SetFeeTiersParameters>('setFeeTiers'),
    /**
     * Permits or prohibits new risk on a channel: for all accounts, for listed addresses, or by
     * access code. Cancels, reducing orders, transfers and withdrawals are always allowed.
     */
    setGate: send<SetGateParameters>('setGate'),
    /**
     * Makes an account a vault, or changes its leader and name. The leader can then trade for it
     * with `forVault`; only the vault's own key can move its money.
     */
    registerVault: send<RegisterVaultParameters>('registerVault'),
    /**
     * Pays collected fees to an account's perp balance. The insurance fund must be at its target.
     */
    treasurySend: send<TreasurySendParameters>('treasurySend'),
    /**
     * Changes the keys that may send `venueAdmin` (admins) or `outcomeDeploy` (deployers). The last
     * admin cannot be removed.
     */
    setOperators: send<SetOperatorsParameters>('setOperators'),
  };
}

/** The caller's parameters, which are read but never changed. */
type Given<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Given<Value[Key]> }
  : Value;
type OutcomeVariants = Given<Omit<ActionOf<'outcomeDeploy'>, 'type'>>;

/** A group of related markets. If the slug already exists, its texts are replaced. */
export type RegisterEventParameters = NonNullable<OutcomeVariants['registerEvent']>;

/** A market of an event. It opens and closes automatically at its times. */
export type RegisterMarketParameters = NonNullable<OutcomeVariants['registerMarket']>;

/** Consecutive up-or-down markets on a price, listed and resolved automatically. */
export type RegisterSeriesParameters = NonNullable<OutcomeVariants['registerSeries']>;

/** Up to 50 markets to open, halt or close. The change applies to all of them or to none. */
export type SetTradingParameters = NonNullable<OutcomeVariants['setTrading']>;

/** Up to 100 observations of reference prices. */
export type PushPriceParameters = NonNullable<OutcomeVariants['pushPrice']>;

/** The payout of a YES share of a closed market, from 0 to 1. The result is final. */
export type ResolveParameters = NonNullable<OutcomeVariants['resolve']>;

/** The variants of `outcomeDeploy` for one venue and one wallet. */
export type OutcomeDeployClient = ReturnType<typeof createOutcomeDeploy>;

/**
 * Creates the deployer's actions. Their type signatures are explicit, because otherwise `confirm`
 * would not determine the type of the reply.
 */
export function createOutcomeDeploy(context: ExchangeContext) {
  const deploy = <Confirm extends Confirmation>(
    variant: OutcomeVariants,
    options: OperatorOptions<Confirm> | undefined,
  ): Promise<ReplyOf<Confirm>> => {
    const action = { type: 'outcomeDeploy', ...variant } as ActionInputOf<'outcomeDeploy'>;
    return sendAction(context, outcomeDeployShape, () => action, options);
  };
  return {
    /** Registers an event, or changes its texts. A confirmed reply gives `created.eventId`. */
    registerEvent: <Confirm extends Confirmation = undefined>(
      registerEvent: RegisterEventParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerEvent }, options),
    /** Lists a market of an event. A confirmed reply gives `created.instrumentId`. */
    registerMarket: <Confirm extends Confirmation = undefined>(
      registerMarket: RegisterMarketParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerMarket }, options),
    /** Registers a series or changes it. A confirmed reply gives `created.seriesSlug`. */
    registerSeries: <Confirm extends Confirmation = undefined>(
      registerSeries: RegisterSeriesParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ registerSeries }, options),
    setTrading: <Confirm extends Confirmation = undefined>(
      setTrading: SetTradingParameters,
      options?: OperatorOptions<Confirm>,
    ): Promise<ReplyOf<Confirm>> => deploy({ setTrading }, options),
    /**
     * Sends reference prices. Stale prices are skipped and the others accepted. A confirmed reply
     * names the first skipped price in `failure`.
     */
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
