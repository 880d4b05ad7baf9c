import type { ActionInput, Hasher } from '@oddlot/protocol';
import { HttpError, SigningError } from '../errors.ts';
import type { NonceSource } from '../nonce.ts';
import type { Failure, HttpTransport } from '../transport/http.ts';
import type { Wallet } from '../wallet.ts';
import { readReply, type ActionReply, type ReplyOf } from './reply.ts';
import { signAction, type EnvelopeFields, type SignedAction } from './sign-action.ts';

/** What sending an action takes. */
export type ExchangeContext = {
  readonly hasher: Hasher;
  readonly http: HttpTransport;
  readonly nonces: NonceSource;
  /** Absent in a client that only reads. */
  readonly wallet: Wallet | undefined;
  /** Whom trading actions act for when they do not say; the account itself by default. */
  readonly vaultAddress?: string | undefined;
};

/** How an action is sent. */
export type ActionOptions<Confirm extends 'executed' | undefined = undefined> = {
  /** Waits for the execution and answers with its results. */
  readonly confirm?: Confirm;
  /** The consensus time, in milliseconds, from which the action is refused. */
  readonly expiresAfter?: number | undefined;
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
  build: (nonce: number) => ActionInput,
  options: ActionOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  const { hasher, http, nonces } = context;
  const wallet = walletOf(context);
  const { signal, vaultAddress = context.vaultAddress, ...rest } = options;
  const sign = (): Promise<SignedAction> => {
    const nonce = nonces.next(wallet.address);
    const fields: EnvelopeFields = { nonce, vaultAddress: vaultAddress?.toLowerCase(), ...rest };
    return signAction(build(nonce), fields, { hasher, wallet });
  };
  const signAnew = wallet.isInteractive ? undefined : sign;
  return (await deliver(http, await sign(), { signal, signAnew })) as ReplyOf<Confirm>;
}

/** The wallet of a client that signs. */
export function walletOf({ wallet }: ExchangeContext): Wallet {
  if (wallet === undefined) throw new SigningError('The client has no wallet to sign with');
  return wallet;
}

/**
 * Sends a signed action until there is an answer.
 *
 * The venue promises two things, and each retry rests on one of them. The same bytes execute once,
 * however often they are sent: so after a lost answer they are sent again as they are. And a
 * rate-limited request did not execute: so it may be signed anew with a fresh nonce, where that
 * bothers nobody. But when an earlier attempt with these bytes was lost, the action may have executed
 * in that one; a new signature would then trade twice, and the old bytes stay.
 */
export async function deliver(
  http: HttpTransport,
  first: SignedAction,
  {
    signal,
    signAnew,
  }: {
    readonly signal: AbortSignal | undefined;
    /** Absent when a signature is not to be had again for nothing. */
    readonly signAnew: (() => Promise<SignedAction>) | undefined;
  },
): Promise<ActionReply> {
  let signed = first;
  let mayHaveExecuted = false;
  const nextBody = async (failure: Failure): Promise<string> => {
    if (failure === 'unknown') mayHaveExecuted = true;
    else if (!mayHaveExecuted && signAnew !== undefined) signed = await signAnew();
    return signed.body;
  };
  try {
    return readReply(await http.post('/exchange', signed.body, { signal, nextBody }), signed);
  } catch (error) {
    throw error instanceof HttpError ? named(error, signed) : error;
  }
}

/** The error with the name of the action, so that the caller can ask what became of it. */
function named(error: HttpError, { txHash }: SignedAction): HttpError {
  const { message, status, body, cause } = error;
  return new HttpError(message, { status, body, txHash, cause });
}
