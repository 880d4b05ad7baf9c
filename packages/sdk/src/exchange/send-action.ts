import type { ActionInput, Hasher } from '@oddlot/protocol';
import { HttpError, SigningError } from '../errors.ts';
import type { NonceSource } from '../nonce.ts';
import type { Failure, HttpTransport } from '../transport/http.ts';
import type { Wallet } from '../wallet.ts';
import { readReply, type ReplyOf } from './reply.ts';
import { signAction, type EnvelopeFields, type SignedAction } from './sign-action.ts';

/** What sending an action takes. */
export type ExchangeContext = {
  readonly hasher: Hasher;
  readonly http: HttpTransport;
  readonly nonces: NonceSource;
  /** Absent in a client that only reads. */
  readonly wallet: Wallet | undefined;
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

/**
 * Signs an action and sends it until there is an answer. `build` gets the nonce, for the actions
 * that carry it.
 *
 * The venue promises two things, and each retry rests on one of them. The same bytes execute once,
 * however often they are sent: so after a lost answer they are sent again as they are. And a
 * rate-limited request did not execute: so it may be signed anew with a fresh nonce. But when an
 * earlier attempt with these bytes was lost, the action may have executed in that one; a new
 * signature would then trade twice, and the old bytes stay.
 */
export async function sendAction<Confirm extends 'executed' | undefined>(
  { hasher, http, nonces, wallet }: ExchangeContext,
  build: (nonce: number) => ActionInput,
  options: ActionOptions<Confirm> = {},
): Promise<ReplyOf<Confirm>> {
  if (wallet === undefined) throw new SigningError('The client has no wallet to sign with');
  const { signal, vaultAddress, ...rest } = options;
  const sign = (): Promise<SignedAction> => {
    const nonce = nonces.next(wallet.address);
    const fields: EnvelopeFields = { nonce, vaultAddress: vaultAddress?.toLowerCase(), ...rest };
    return signAction(build(nonce), fields, { hasher, wallet });
  };
  let signed = await sign();
  let mayHaveExecuted = false;
  const nextBody = async (failure: Failure): Promise<string> => {
    if (failure === 'unknown') mayHaveExecuted = true;
    else if (!mayHaveExecuted && !wallet.isInteractive) signed = await sign();
    return signed.body;
  };
  try {
    const reply = await http.post('/exchange', signed.body, { signal, nextBody });
    return readReply(reply, signed) as ReplyOf<Confirm>;
  } catch (error) {
    throw error instanceof HttpError ? named(error, signed) : error;
  }
}

/** The error with the name of the action, so that the caller can ask what became of it. */
function named(error: HttpError, { txHash }: SignedAction): HttpError {
  const { message, status, body, cause } = error;
  return new HttpError(message, { status, body, txHash, cause });
}
