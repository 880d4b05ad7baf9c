import type { InfoContext } from '../info/query-info.ts';
import * as approvals from './approvals.ts';
import {
  createOutcomeDeploy,
  createVenueAdmin,
  type OutcomeDeployClient,
  type VenueAdminClient,
} from './create-operator.ts';
import * as margin from './margin.ts';
import { createMultiSig, type MultiSigClient } from './multi-sig.ts';
import * as orders from './orders.ts';
import { type ActionName, type ReplyOf, waitForAction, type WaitOptions } from './reply.ts';
import {
  type ActionOptions,
  type DirectOptions,
  type ExchangeContext,
  sendSigned,
} from './send-action.ts';
import type { SignedAction } from './sign-action.ts';
import * as transfers from './transfers.ts';

type Confirmation = 'executed' | undefined;

/** The /exchange actions for one venue and one wallet. */
export type ExchangeClient = TradingClient &
  ReturnType<typeof createActions> & {
    /** The actions on behalf of a multi-sig account. */
    multiSig: MultiSigClient;
    /** The operator's actions. The wallet must be one of the venue's admins. */
    venueAdmin: VenueAdminClient;
    /** The actions of deployers, who list and resolve outcome markets. */
    outcomeDeploy: OutcomeDeployClient;
  };

/** Creates the /exchange actions for one venue and one wallet. */
export function createExchange(context: ExchangeContext & InfoContext): ExchangeClient {
  return {
    ...createTrading(context),
    ...createActions(context),
    multiSig: createMultiSig(context),
    venueAdmin: createVenueAdmin(context),
    outcomeDeploy: createOutcomeDeploy(context),
  };
}

function createActions(context: ExchangeContext & InfoContext) {
  return {
    /**
     * Returns the trading actions for a vault that the account leads. They cannot move the vault's
     * money.
     */
    forVault: (vaultAddress: string): TradingClient => createTrading({ ...context, vaultAddress }),
    ...bindActions(context, { ...approvals, ...transfers }),
    /** Sends a signed action. It is executed only once, however often you send it. */
    sendSigned: (signed: SignedAction, options?: { readonly signal?: AbortSignal | undefined }) =>
      sendSigned(context, signed, options),
    waitForAction: (name: ActionName, options?: WaitOptions) =>
      waitForAction(context, name, options),
  };
}

/** The actions that an agent may send, for its account or for a vault. */
export type TradingClient = ReturnType<typeof createTrading>;

function createTrading(context: ExchangeContext) {
  return bindActions(context, { ...orders, ...margin });
}

type AnyAction = (context: ExchangeContext, ...rest: never[]) => Promise<unknown>;

/**
 * Converts each function exported from an actions file to a method that keeps its types and
 * comment.
 */
function bindActions<Actions extends Readonly<Record<string, AnyAction>>>(
  context: ExchangeContext,
  actions: Actions,
): { readonly [Name in keyof Actions]: Bound<Actions[Name]> } {
  const bound = Object.entries(actions).map(([name, action]) => [
    name,
    (...rest: never[]) => action(context, ...rest),
  ]);
  return Object.fromEntries(bound) as never;
}

/**
 * The type of an action without its context. The parameters are repeated here because otherwise
 * `confirm` would not determine the type of the reply.
 */
type Bound<Action> = Action extends (context: never, ...rest: infer Rest) => unknown
  ? Rest extends [options?: infer Given]
    ? <Confirm extends Confirmation = undefined>(
        options?: OptionsLike<Given, Confirm>,
      ) => Promise<ReplyOf<Confirm>>
    : Rest extends [parameters: infer Parameters, options?: infer Given]
      ? <Confirm extends Confirmation = undefined>(
          parameters: Parameters,
          options?: OptionsLike<Given, Confirm>,
        ) => Promise<ReplyOf<Confirm>>
      : Rest extends [parameters?: infer Parameters, options?: infer Given]
        ? <Confirm extends Confirmation = undefined>(
            parameters?: Parameters,
            options?: OptionsLike<Given, Confirm>,
          ) => Promise<ReplyOf<Confirm>>
        : never
  : never;

/** The options for an agent's action, which can include a vault, or for a direct action. */
type OptionsLike<
  Given,
  Confirm extends Confirmation,
> = 'vaultAddress' extends keyof NonNullable<Given>
  ? ActionOptions<Confirm>
  : DirectOptions<Confirm>;
