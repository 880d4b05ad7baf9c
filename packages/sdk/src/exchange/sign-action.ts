import {
  bytesToHex,
  canonicalAction,
  checkExpiryAllowed,
  checkVaultAllowed,
  encodeMsgpack,
  hashAction,
  parseAction,
  signatureBytes,
  txHash as hashTransaction,
  type ActionInput,
  type Hasher,
  type StructValues,
} from '@oddlot/protocol';
import { hash, type Hash } from '@oddlot/units';
import { ValidationError } from '../errors.ts';
import { typedDataOf } from '../typed-data.ts';
import type { Wallet } from '../wallet.ts';
import { checkChain } from './check-chain.ts';

/** What stands beside the action in the envelope. */
export type EnvelopeFields = {
  readonly nonce: number;
  readonly vaultAddress?: string | undefined;
  readonly signatureChainId?: number | undefined;
  readonly expiresAfter?: number | undefined;
  readonly confirm?: 'executed' | undefined;
};

/** A signed request: its bytes, and the names that the venue knows it by. */
export type SignedAction = {
  /** The body of the request. Sent again as it is, it executes no second time. */
  readonly body: string;
  readonly txHash: Hash;
  readonly nonce: number;
  /** The time of consensus from which it is refused. */
  readonly expiresAfter?: number | undefined;
};

/** Signs an action. It is written, hashed and sent in the canonical key order. */
export async function signAction(
  input: ActionInput,
  fields: EnvelopeFields,
  { hasher, wallet }: { readonly hasher: Hasher; readonly wallet: Wallet },
): Promise<SignedAction> {
  const { action, msgpack } = encodeAction(input);
  refuseMisfits(input, fields);
  const values = action as unknown as StructValues;
  const actionHash = hashAction({ msgpack, action: values, envelope: fields }, hasher);
  const { nonce } = fields;
  await checkChain(wallet, { hash: actionHash, type: input.type });
  const signature = await wallet.sign({
    digest: actionHash.digest,
    typedData: () =>
      typedDataOf({ hash: actionHash, action: values, nonce, network: hasher.network }),
  });
  const name = hashTransaction(actionHash.signed, signatureBytes(signature), hasher.keccak);
  return {
    // Fields that are undefined vanish in the text, as they did in what was hashed.
    body: JSON.stringify({ action, signature, ...fields }),
    txHash: hash(bytesToHex(name)),
    nonce,
    expiresAfter: fields.expiresAfter,
  };
}

/** The action in key order and as bytes. A key that the venue does not know is an error here. */
export function encodeAction<Input extends ActionInput>(
  input: Input,
): { action: Input; msgpack: Uint8Array } {
  try {
    const action = canonicalAction(input);
    return { action, msgpack: encodeMsgpack(action) };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ValidationError(cause.message, { cause });
  }
}

/** Finds what the venue would refuse for its form, before a person is asked to sign it. */
function refuseMisfits(input: ActionInput, fields: EnvelopeFields): void {
  const parsed = parseAction(input);
  if (!parsed.ok) throw ValidationError.of(parsed.error);
  const { action } = parsed;
  const error = checkVaultAllowed(action, fields) ?? checkExpiryAllowed(action, fields);
  if (error !== undefined) throw ValidationError.of(error);
}
