import { outcomeDeployShape, type ActionInputOf, type ActionOf } from '@oddlot/protocol';
import type { OperatorOptions } from './operator-options.ts';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ExchangeContext } from './send-action.ts';

type Confirmation = 'executed' | undefined;
/** What a caller gives is read, never changed. */
type Given<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Given<Value[Key]> }
  : Value;
type Variants = Given<Omit<ActionOf<'outcomeDeploy'>, 'type'>>;

/** A group of markets that belong together; an existing slug gets new texts. */
export type RegisterEventParameters = NonNullable<Variants['registerEvent']>;

/** A market of an event. It opens and closes by itself at its times. */
export type RegisterMarketParameters = NonNullable<Variants['registerMarket']>;

/** Up-or-down markets on a price, one after the other, listed and resolved by themselves. */
export type RegisterSeriesParameters = NonNullable<Variants['registerSeries']>;

/** Opens, halts or closes up to 50 markets, all or none. */
export type SetTradingParameters = NonNullable<Variants['setTrading']>;

/** Up to 100 observations of reference prices. */
export type PushPriceParameters = NonNullable<Variants['pushPrice']>;

/** What a YES share of a closed market pays, from 0 to 1. Final. */
export type ResolveParameters = NonNullable<Variants['resolve']>;

/** The variants of `outcomeDeploy`, bound to a venue and a wallet. */
export type OutcomeDeployClient = ReturnType<typeof createOutcomeDeploy>;

/** Binds the deployer's actions. Written out, so that `confirm` types the replies. */
export function createOutcomeDeploy(context: ExchangeContext) {
  const deploy = <Confirm extends Confirmation>(
    variant: Variants,
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
