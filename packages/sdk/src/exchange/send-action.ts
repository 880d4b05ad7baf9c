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

/** What sending an action takes. */
export type ExchangeContext = {
  readonly hasher: HasherSource;
  /** Names a wrong network where a refusal can't; absent where that was switched off. */
  readonly networkCheck?: NetworkCheck | undefined;
  readonly http: HttpTransport;
  readonly nonces: NonceSource;
  readonly clock: VenueClock;
  /** How long after it was meant an order may still be taken in; Infinity for always. */
  readonly orderLifeMs?: number | undefined;
  /** Absent in a client that only reads. */
  readonly wallet: Wallet | undefined;
  /** Whom trading actions act for when they do not say; the account itself by default. */
  readonly vaultAddress?: string | undefined;
};

/** How an action is sent. */
export type ActionOptions<Confirm extends 'executed' | undefined = undefined> = {
  /** Waits for the execution and answers with its results. */
  readonly confirm?: Confirm;
  /**
   * The consensus time, in milliseconds, after which the action is refused; null for never. What trades
   * expires by default, see `orderLifeMs` of the client.
   */
  readonly expiresAfter?: number | null | undefined;
  /** Acts for a vault that the account leads. */
  readonly vaultAddress?: string | undefined;
  /** The chain id of the EIP-712 domain, for wallets that sign for one chain only. */
  readonly signatureChainId?: number | undefined;
  /** Stops waiting. The action may have been sent already. */
  readonly signal?: AbortSignal | undefined;
};

/** Signs an action and sends it. `build` gets the nonce, for the actions that carry it. */
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

/** The wallet of a client that signs. */
export function walletOf({ wallet }: ExchangeContext): Wallet {
  if (wallet === undefined) throw new SigningError('This client has no wallet for signing');
  return wallet;
}

/**
 * Sends a signed action until there is an answer.
 *
 * The venue promises three things, and each retry rests on one of them. The same bytes execute once,
 * however often they are sent: so after a lost answer they are sent again as they are. A rate-limited
 * request did not execute: so it may be signed anew with a fresh nonce, where that bothers nobody. But
 * when an earlier attempt with these bytes was lost, the action may have executed in that one; a new
 * signature would then trade twice, and the old bytes stay. And what was refused as expired never
 * executes: so if only the clocks differed, it is signed anew by the venue's.
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
    // After a lost answer it is: the next one tells what became of the action, expired or not.
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
      const isMisjudged = expiry?.isMisjudged(error, reply.roundtrip) === true;
      if (!isMisjudged || isSecond || signAnew === undefined) throw new ExpiredError(error, signed);
      signed = await signAnew();
      mayHaveExecuted = false;
    }
  }
}

/** How a signed action is sent. */
type Delivery = {
  readonly signal: AbortSignal | undefined;
  /** Absent when a signature is not to be had again for nothing. */
  readonly signAnew: (() => Promise<SignedAction>) | undefined;
  /** Absent when what was signed says it all. */
  readonly expiry?: Expiry | undefined;
  /** Gives the error that a refused sender should see. */
  readonly networkCheck?: NetworkCheck | undefined;
};

const HTTP_TOO_MANY = 429;
const HTTP_FAULT = 500;

/** A fault, or a limit that only this attempt met, leaves open what became of the action. */
function isOpen({ httpStatus }: ApiError, mayHaveExecuted: boolean): boolean {
  return httpStatus >= HTTP_FAULT || (httpStatus === HTTP_TOO_MANY && mayHaveExecuted);
}

function fateUnknown(refusal: ApiError, signed: SignedAction): HttpError {
  const { message, httpStatus: status, response } = refusal;
  const facts = { status, body: JSON.stringify(response), cause: refusal };
  return named(new HttpError(`${message}: HTTP ${status}`, facts), signed);
}

/** The error with the name of the action, so that the caller can ask what became of it. */
function named(error: HttpError, { txHash, expiresAfter }: SignedAction): HttpError {
  const { message, status, body, cause } = error;
  return new HttpError(message, { status, body, txHash, expiresAfter, cause });
}

/** Direct actions act for the account itself and do not expire. */
export type DirectOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress' | 'expiresAfter'
>;

/** The fields that every direct action has and that its sender need not write. */
type Bound = keyof Network | 'nonce';

/** A direct action without what binds it to the network and the envelope. */
export type UnboundAction = {
  [Type in DirectActionType]: Omit<ActionInputOf<Type>, Bound>;
}[DirectActionType];

/** The action with the network and the nonce that it is signed for. */
export function bindAction(action: UnboundAction, network: Network, nonce: number) {
  return { ...action, ...network, nonce } as ActionInputOf<DirectActionType>;
}

/**
 * Signs a direct action with the account's own key and sends it. A wallet that insists on its own
 * chain signs for that one, and the venue is told.
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
 * The `signatureChainId` of a direct action: what the caller asks for, else the chain that the wallet
 * insists on, else none, which means the venue's own.
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
 * Sends what `signAction` has signed, for whoever writes it down before anybody else sees it. However often the same bytes are
 * sent, also after a restart, they execute once; they are never signed anew.
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

/** An order that did not reach the venue within so long is not wanted any more. */
const ORDER_LIFE_MS = 5000;
/** A person has to read the request and confirm it, after the expiry was written into it. */
const CONFIRMED_ORDER_LIFE_MS = 60_000;

/** When an action expires, for all attempts to send it alike. */
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
    /** What the caller wrote; null for never. */
    readonly expiresAfter?: number | null | undefined;
    readonly orderLifeMs?: number | undefined;
  }) {
    this.#clock = clock;
    this.#explicit = expiresAfter;
    this.#lifeMs = orderLifeMs ?? (wallet.isInteractive ? CONFIRMED_ORDER_LIFE_MS : ORDER_LIFE_MS);
    this.#meantMs = clock.ownMs;
  }

  /** The field of the envelope, counted from when the action was meant, not from when it is signed. */
  of(type: ActionInput['type']): number | undefined {
    if (this.#explicit !== undefined) return this.#explicit ?? undefined;
    if (!TRADING_TYPES.includes(type) || this.#lifeMs === Infinity) return undefined;
    return Math.round(this.#clock.at(this.#meantMs) + this.#lifeMs);
  }

  /** Whether what is sent after a wait comes too late anyway. */
  isPast(expiresAfter: number | undefined, waitMs: number): boolean {
    return expiresAfter !== undefined && this.#clock.at(this.#clock.ownMs + waitMs) > expiresAfter;
  }

  /**
   * Learns the venue's time from a refusal. True when it was the clocks that differed: less time has
   * passed here than the action had to live.
   */
  isMisjudged(refusal: ApiError, roundtrip: Roundtrip): boolean {
    const told = /consensus time (\d+)/.exec(refusal.message)?.[1];
    if (told === undefined) return false;
    this.#clock.readTime(Number(told), roundtrip);
    return this.#explicit === undefined && performance.now() - this.#startedMs < this.#lifeMs;
  }
}
