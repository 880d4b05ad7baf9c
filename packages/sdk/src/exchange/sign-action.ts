import {
  type Action,
  type ActionHash,
  type ActionInput,
  actionShape,
  arrange,
  bytesToHex,
  canonicalAction,
  checkExpiryAllowed,
  checkShape,
  checkVaultAllowed,
  createHasher,
  encodeMsgpack,
  hashAction,
  type Hasher,
  hashSingleAction,
  type InnerHash,
  isPermissionedType,
  type Network,
  type ObjectShape,
  signatureBytes,
  type StructValues,
  txHash as hashTransaction,
} from '@oddlot/protocol';
import { type Hash, hash } from '@oddlot/units';
import { SigningError, ValidationError } from '../errors.ts';
import { type TypedData, typedDataOf } from '../typed-data.ts';
import type { Wallet } from '../wallet.ts';

/** The fields of the envelope other than the action. */
export type EnvelopeFields = {
  readonly nonce: number;
  readonly vaultAddress?: string | undefined;
  readonly signatureChainId?: number | undefined;
  readonly expiresAfter?: number | undefined;
  readonly confirm?: 'executed' | undefined;
};

/** A signed request: its bytes and its identifiers. */
export type SignedAction = {
  /** The body of the request. Sending it again does not execute it twice. */
  readonly body: string;
  readonly txHash: Hash;
  readonly nonce: number;
  /** The consensus time at which the action expires, in milliseconds. */
  readonly expiresAfter?: number | undefined;
};

/** Signs an action of any type. It is serialised, hashed and sent in the canonical key order. */
export async function signAction(
  input: ActionInput,
  fields: EnvelopeFields,
  signing: Signing,
): Promise<SignedAction> {
  const { action } = encodeAction(input);
  const shaped = { shape: actionShape(action.type), action };
  return signShaped(shaped, fields, { ...signing, hashWith: hashAction });
}

type Signing = { readonly hasher: Hasher; readonly wallet: Wallet };

/** The function that hashes the action. It is given only if the action may be a wrapper. */
type Hashing = { readonly hashWith?: typeof hashAction | undefined };

/**
 * An action with its shape. Because the shape is passed in, programs load only the shapes they use.
 */
type Shaped = { readonly shape: ObjectShape; readonly action: ActionInput };

/** Signs an action whose shape is known. */
export async function signShaped(
  { shape, action: input }: Shaped,
  fields: EnvelopeFields,
  { hasher, wallet, hashWith = hashSingleAction }: Signing & Hashing,
): Promise<SignedAction> {
  const { action, msgpack } = encoded(() => arrange(shape, input, input.type));
  refuseMismatches({ shape, action }, fields);
  const values = action as unknown as StructValues;
  const request = { msgpack, action: values, envelope: fields };
  const actionHash: ActionHash = hashWith(request, hasher);
  const { nonce } = fields;
  await checkChain(wallet, { hash: actionHash, type: input.type });
  const signature = await wallet.sign({
    digest: actionHash.digest,
    typedData: () =>
      typedDataOf({ hash: actionHash, action: values, nonce, network: hasher.network }),
  });
  const name = hashTransaction(actionHash.signed, signatureBytes(signature), hasher.keccak);
  return {
    // Undefined fields are omitted from the JSON, just as from the hashed bytes.
    body: JSON.stringify({ action, signature, ...fields }),
    txHash: hash(bytesToHex(name)),
    nonce,
    expiresAfter: fields.expiresAfter,
  };
}

/**
 * Returns the action in canonical key order, and its MessagePack encoding. Throws for an unknown
 * key.
 */
export function encodeAction<Input extends ActionInput>(input: Input): Encoded<Input> {
  return encoded(() => canonicalAction(input));
}

type Encoded<Input> = { readonly action: Input; readonly msgpack: Uint8Array };

function encoded<Input extends ActionInput>(order: () => Input): Encoded<Input> {
  try {
    const action = order();
    return { action, msgpack: encodeMsgpack(action) };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ValidationError(cause.message, { cause });
  }
}

/** Rejects malformed requests before a user is asked to sign. */
function refuseMismatches({ shape, action }: Shaped, fields: EnvelopeFields): void {
  const error =
    checkShape(shape, action) ??
    checkVaultAllowed(action as Action, fields) ??
    checkExpiryAllowed(action as Action, fields);
  if (error !== undefined) throw ValidationError.of(error);
}

/** The data that would be signed and sent. */
export type ActionPreview = {
  /** The action in canonical key order. */
  readonly action: ActionInput;
  /** The MessagePack encoding of the action, which is hashed for agent-signed actions. */
  readonly msgpack: `0x${string}`;
  /** The 32 bytes that a wallet would sign. */
  readonly digest: `0x${string}`;
  /** The data that a wallet would show. */
  readonly typedData: TypedData;
};

/**
 * Returns the data that would be signed, using neither a key nor a venue. To see the action's
 * effect, query `info.simulate`.
 *
 * @throws ValidationError
 */
export function previewAction(
  input: ActionInput,
  fields: EnvelopeFields,
  network: Network,
): ActionPreview {
  const { action, msgpack } = encodeAction(input);
  const fault = checkShape(actionShape(action.type), action);
  if (fault !== undefined) throw ValidationError.of(fault);
  const values = action as unknown as StructValues;
  const actionHash = hashAction(
    { msgpack, action: values, envelope: fields },
    createHasher(network),
  );
  return {
    action,
    msgpack: bytesToHex(msgpack),
    digest: bytesToHex(actionHash.digest),
    typedData: typedDataOf({ hash: actionHash, action: values, nonce: fields.nonce, network }),
  };
}

/**
 * Throws if the wallet's chain does not allow the signature, because the wallet's own error would
 * not explain what to do.
 *
 * @throws SigningError
 */
export async function checkChain(
  wallet: Wallet,
  {
    hash: { scheme, domainChainId },
    type,
  }: { readonly hash: ActionHash | InnerHash; readonly type: string },
): Promise<void> {
  const chainId = await wallet.chainId?.();
  if (chainId === undefined || chainId === domainChainId) return;
  const where = `The wallet signs for chain ${chainId} only`;
  if (scheme !== 'agent') {
    const cure = 'Omit signatureChainId, or switch the wallet to that chain.';
    throw new SigningError(`${where}, but ${type} is signed for ${domainChainId}. ${cure}`);
  }
  const cure = isPermissionedType(type)
    ? "Sign it with the admin's key (privateKeyWallet or accountWallet)."
    : 'Approve an agent with this wallet (approveAgent), and send it from a client with ' +
      "the agent's key.";
  throw new SigningError(
    `${where}, but ${type} is signed for the venue's chain ${domainChainId}. ${cure}`,
  );
}
