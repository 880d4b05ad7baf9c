import {
  type ActionInput,
  type ActionInputOf,
  type DirectActionType,
  type Network,
  type ObjectShape,
  TRADING_TYPES,
} from '@oddlot/protocol';
import { ApiError, ExpiredError, HttpError, SigningError } from '../errors.ts';
import type { NonceSource } from '../nonce.ts';
import type { HasherSource, NetworkCheck } from '../signing-network.ts';
import type { HttpReply, HttpTransport, Retry } from '../transport/http.ts';
import type { Roundtrip, VenueClock } from '../transport/venue-clock.ts';
import type { Wallet } from '../wallet.ts';
import { type ActionReply, readReply, type ReplyOf } from './reply.ts';
import { type EnvelopeFields, type SignedAction, signShaped } from './sign-action.ts';

/** The context needed to send actions. */
export type ExchangeContext = {
  readonly hasher: HasherSource;
  /** Explains a refusal caused by a wrong network; absent if the check is disabled. */
  readonly networkCheck?: NetworkCheck | undefined;
  readonly http: HttpTransport;
  readonly nonces: Pick<NonceSource, 'next'>;
  readonly clock: VenueClock;
  /** How long after the call an order may be accepted, in milliseconds; Infinity for no limit. */
  readonly orderLifeMs?: number | undefined;
  /** The wallet that signs; undefined in a read-only client. */
  readonly wallet: Wallet | undefined;
  /** The vault that trading actions act for by default; undefined for the account itself. */
  readonly vaultAddress?: string | undefined;
};

/** Options for sending an action. */
export type ActionOptions<Confirm extends 'executed' | undefined = undefined> = {
  /** With this option, the client waits for execution and returns its results. */
  readonly confirm?: Confirm;
  /**
   * The consensus time in milliseconds at which the action expires, or null for no expiry. Trading
   * actions expire by default; see the client's `orderLifeMs`.
   */
  readonly expiresAfter?: number | null | undefined;
  /** The vault to act for. The account must be its leader. */
  readonly vaultAddress?: string | undefined;
  /** The chain id of the EIP-712 domain, for wallets that sign for only one chain. */
  readonly signatureChainId?: number | undefined;
  /** A signal that stops the wait. The action may already have been sent. */
  readonly signal?: AbortSignal | undefined;
};

/** Signs an action and sends it. `build` receives the nonce, for actions that include it. */
export async function sendAction<Confirm extends 'executed' | undefined>(
  context: ExchangeContext,
  shape: ObjectShape,
  build: (nonce: number) => ActionInput,
  options: ActionOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const { http, nonces, clock, orderLifeMs } = context;
  const wallet = walletOf(context);
  const hasher = await context.hasher();
  const { signal, vaultAddress = context.vaultAddress, expiresAfter, ...rest } = options;
  const expiry = new Expiry({ clock, wallet, expiresAfter, orderLifeMs });
  const sign = (): Promise<SignedAction> => {
    const nonce = nonces.next(wallet.address);
    const action = build(nonce);
    const fields: EnvelopeFields = {
      nonce,
      vaultAddress: vaultAddress?.toLowerCase(),
      expiresAfter: expiry.of(action.type),
      ...rest,
    };
    return signShaped({ shape, action }, fields, { hasher, wallet });
  };
  const signAnew = wallet.isInteractive ? undefined : sign;
  const delivery = { signal, signAnew, expiry, networkCheck: context.networkCheck };
  return (await deliver(http, await sign(), delivery)) as ReplyOf<Confirm>;
}

export function walletOf({ wallet }: ExchangeContext): Wallet {
  if (wallet === undefined) throw new SigningError('This client has no wallet for signing');
  return wallet;
}

/**
 * Sends a signed action until there is a response. Retries rely on guarantees of the venue: the
 * same bytes are executed only once, a rate-limited request was not executed, and an expired
 * request never will be. After a lost response, the same bytes are sent again, because a new
 * signature could trade twice. After a rate limit, the action is signed again with a new nonce,
 * unless the user would have to confirm it or the response to an earlier attempt was lost. An
 * expired action is signed again according to the venue's clock if only the clocks differed.
 */
export async function deliver(
  http: HttpTransport,
  first: SignedAction,
  { signal, signAnew, expiry, networkCheck }: Delivery,
): Promise<ActionReply> {
  let signed = first;
  let mayHaveExecuted = false;
  const retry: Retry = {
    nextBody: async (failure) => {
      if (failure === 'unknown') mayHaveExecuted = true;
      else if (!mayHaveExecuted && signAnew !== undefined) signed = await signAnew();
      return signed.body;
    },
    // After a lost response, another attempt is always worthwhile, because the next response
    // reports the result even if the action has expired.
    isWorthwhile: (failure, waitMs) =>
      failure === 'unknown' || mayHaveExecuted || !expiry?.isPast(signed.expiresAfter, waitMs),
  };
  const post = async (): Promise<HttpReply> => {
    try {
      return await http.post('/exchange', signed.body, { signal, retry });
    } catch (error) {
      throw error instanceof HttpError ? named(error, signed) : error;
    }
  };
  for (let isSecond = false; ; isSecond = true) {
    const reply = await post();
    try {
      return readReply(reply, signed);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isOpen(error, mayHaveExecuted)) throw fateUnknown(error, signed);
      if (error.name !== 'EXPIRED') throw (await networkCheck?.(error)) ?? error;
      const isClockOff = expiry?.isClockOff(error, reply.roundtrip) === true;
      if (!isClockOff || isSecond || signAnew === undefined) throw new ExpiredError(error, signed);
      signed = await signAnew();
      mayHaveExecuted = false;
    }
  }
}

/** Options for `deliver`. */
type Delivery = {
  readonly signal: AbortSignal | undefined;
  /** Signs the action again; absent if the user would have to confirm it. */
  readonly signAnew: (() => Promise<SignedAction>) | undefined;
  /** The expiry; absent if the signed request must not change. */
  readonly expiry?: Expiry | undefined;
  /** Converts a refusal from the venue to the error for the caller. */
  readonly networkCheck?: NetworkCheck | undefined;
};

const HTTP_TOO_MANY = 429;
const HTTP_FAULT = 500;

/**
 * Returns true if the result of the action is unknown: after a server error, or after a rate limit
 * that applies only to this attempt.
 */
function isOpen({ httpStatus }: ApiError, mayHaveExecuted: boolean): boolean {
  return httpStatus >= HTTP_FAULT || (httpStatus === HTTP_TOO_MANY && mayHaveExecuted);
}

function fateUnknown(refusal: ApiError, signed: SignedAction): HttpError {
  const { message, httpStatus: status, response } = refusal;
  const facts = { status, body: JSON.stringify(response), cause: refusal };
  return named(new HttpError(`${message}: HTTP ${status}`, facts), signed);
}

/** Adds the action's hash to the error, so that the caller can query the result. */
function named(error: HttpError, { txHash, expiresAfter }: SignedAction): HttpError {
  const { message, status, body, cause } = error;
  return new HttpError(message, { status, body, txHash, expiresAfter, cause });
}

/** Options for direct actions, which act for the account itself and do not expire. */
export type DirectOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress' | 'expiresAfter'
>;

/** The fields that every direct action has and that callers omit. */
type Bound = keyof Network | 'nonce';

/** A direct action without its network and nonce. */
export type UnboundAction = {
  [Type in DirectActionType]: Omit<ActionInputOf<Type>, Bound>;
}[DirectActionType];

/** Adds the network and the nonce that a direct action is signed with. */
export function bindAction(action: UnboundAction, network: Network, nonce: number) {
  return { ...action, ...network, nonce } as ActionInputOf<DirectActionType>;
}

/**
 * Signs a direct action with the account's own key and sends it. If the wallet requires its own
 * chain, the action is signed for that chain, which the request names.
 */
export async function sendDirect<Confirm extends 'executed' | undefined>(
  context: ExchangeContext,
  shape: ObjectShape,
  action: UnboundAction,
  options: DirectOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const { network } = await context.hasher();
  const build = (nonce: number) => bindAction(action, network, nonce);
  const signatureChainId = await domainChainOf(context, options.signatureChainId);
  return sendAction(context, shape, build, { ...options, signatureChainId });
}

/**
 * Returns the `signatureChainId` of a direct action. It is the caller's choice; otherwise the chain
 * that the wallet requires; otherwise undefined, which means the venue's own chain.
 */
export async function domainChainOf(
  { hasher, wallet }: ExchangeContext,
  asked: number | undefined,
): Promise<number | undefined> {
  const { network } = await hasher();
  const chainId = asked ?? (await wallet?.chainId?.());
  return chainId === network.chainId ? undefined : chainId;
}

/**
 * Sends an action created by `signAction`, for callers that store it first. The same bytes are
 * executed only once, however often they are sent, even after a restart, and they are never signed
 * again.
 *
 * @throws HttpError, ApiError
 */
export function sendSigned(
  { http }: Pick<ExchangeContext, 'http'>,
  signed: SignedAction,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ActionReply> {
  return deliver(http, signed, { signal, signAnew: undefined });
}

/**
 * The default lifetime of an order. An order that reaches the venue later is assumed to be
 * unwanted.
 */
const ORDER_LIFE_MS = 5000;
/**
 * The default lifetime with a wallet whose user confirms each signature. It includes the time for
 * reading and confirming the request, because the expiry is set beforehand.
 */
const CONFIRMED_ORDER_LIFE_MS = 60_000;

/** An action's expiry, the same for every attempt to send it. */
class Expiry {
  readonly #clock: VenueClock;
  readonly #explicit: number | null | undefined;
  readonly #lifeMs: number;
  readonly #meantMs: number;
  readonly #startedMs = performance.now();

  constructor({
    clock,
    wallet,
    expiresAfter,
    orderLifeMs,
  }: {
    readonly clock: VenueClock;
    readonly wallet: Wallet;
    /** The expiry that the caller chose; null for no expiry. */
    readonly expiresAfter?: number | null | undefined;
    readonly orderLifeMs?: number | undefined;
  }) {
    this.#clock = clock;
    this.#explicit = expiresAfter;
    this.#lifeMs = orderLifeMs ?? (wallet.isInteractive ? CONFIRMED_ORDER_LIFE_MS : ORDER_LIFE_MS);
    this.#meantMs = clock.ownMs;
  }

  /** Returns the expiry for the envelope. It is measured from the call, not from the signature. */
  of(type: ActionInput['type']): number | undefined {
    if (this.#explicit !== undefined) return this.#explicit ?? undefined;
    if (!TRADING_TYPES.includes(type) || this.#lifeMs === Infinity) return undefined;
    return Math.round(this.#clock.at(this.#meantMs) + this.#lifeMs);
  }

  /** Returns true if a request that is sent after the given wait would be too late. */
  isPast(expiresAfter: number | undefined, waitMs: number): boolean {
    return expiresAfter !== undefined && this.#clock.at(this.#clock.ownMs + waitMs) > expiresAfter;
  }

  /**
   * Learns the venue's time from a refusal. Returns true if the clocks differed, that is, if less
   * local time than the action's lifetime has passed.
   */
  isClockOff(refusal: ApiError, roundtrip: Roundtrip): boolean {
    const consensusMs = /consensus time (\d+)/.exec(refusal.message)?.[1];
    if (consensusMs === undefined) return false;
    this.#clock.readTime(Number(consensusMs), roundtrip);
    return this.#explicit === undefined && performance.now() - this.#startedMs < this.#lifeMs;
  }
}
