import { encode } from '@msgpack/msgpack';
import { bytesToHex, keccak256, type Hex } from 'viem';
import {
  addressOf,
  agentDigest,
  agentPreimage,
  APPROVE_AGENT_TYPES,
  domainOf,
  receiptNames,
  signDigest,
  TESTNET,
  typedBytes,
  type AgentOptions,
  type Envelope,
  type JsonObject,
  type Network,
  type Signature,
  type Signed,
  type Types,
} from './wallet.ts';

/**
 * Signs direct actions and multiSig wrappers. Implemented solely from docs/reference/signing.md;
 * shares no code with the venue.
 */

type Field = { readonly name: string; readonly type: string };

const NETWORK_FIELDS: readonly Field[] = [
  { name: 'serviceNetwork', type: 'string' },
  { name: 'chainId', type: 'uint32' },
  { name: 'apiVersion', type: 'uint32' },
];
const NONCE: Field = { name: 'nonce', type: 'uint64' };
const WRAPPED: readonly Field[] = [
  { name: 'payloadMultiSigUser', type: 'address' },
  { name: 'outerSigner', type: 'address' },
];

/**
 * EIP-712 fields of each direct action, without the network fields that always come first and the
 * nonce that always comes last.
 */
const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  approveAgent: APPROVE_AGENT_TYPES.ApproveAgent.slice(NETWORK_FIELDS.length, -1),
  approveBuilderFee: [
    { name: 'builder', type: 'address' },
    { name: 'maxFeeRate', type: 'string' },
  ],
  revokeBuilderFee: [{ name: 'builder', type: 'address' }],
  tokenSend: [
    { name: 'destination', type: 'address' },
    { name: 'token', type: 'uint32' },
    { name: 'amount', type: 'string' },
    { name: 'fromAccountType', type: 'string' },
    { name: 'toAccountType', type: 'string' },
  ],
  withdraw3: [
    { name: 'destination', type: 'address' },
    { name: 'amount', type: 'string' },
  ],
  convertToMultiSigUser: [{ name: 'signers', type: 'string' }],
};

/** Returns true for actions that only the account's own key can sign. */
export function isDirect(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(FIELDS, type);
}

/** Returns a direct action with its keys in canonical order. */
export function directAction(type: string, nonce: number, fields: JsonObject): JsonObject {
  return { type, ...TESTNET, ...fields, nonce };
}

export type DirectOptions = {
  readonly nonce: number;
  readonly signatureChainId?: number;
  readonly network?: Network;
};

/** The inner action's account and the sender of its wrapper. */
export type Wrapping = { readonly multiSigUser: string; readonly outerSigner: string };

export async function signDirect(
  privateKey: Hex,
  action: JsonObject,
  options: DirectOptions,
): Promise<Signed> {
  const typed = directBytes(action, options);
  return signedTyped(privateKey, typed, withChain({ action, nonce: options.nonce }, options));
}

export type MultiSigOptions = DirectOptions &
  Pick<AgentOptions, 'vaultAddress' | 'expiresAfter'> & {
    readonly multiSigUser: string;
    /** The key that sends the wrapper; normally one of the account's signers. */
    readonly outerKey: Hex;
    readonly innerKeys: readonly Hex[];
    /**
     * Signatures to send instead of those by `innerKeys`, for example signatures taken from another
     * wrapper.
     */
    readonly signatures?: readonly Signature[];
  };

/** Signs an action for a multi-sig account: each inner key signs first, then the sender's key. */
export async function signMultiSig(inner: JsonObject, options: MultiSigOptions): Promise<Signed> {
  const { multiSigUser, outerKey, innerKeys, nonce, vaultAddress, expiresAfter } = options;
  const wrapping = { multiSigUser, outerSigner: addressOf(outerKey) };
  const digest = innerDigest(inner, wrapping, options);
  const made = innerKeys.map(async (key) => signDigest(key, digest));
  const signatures = options.signatures ?? (await Promise.all(made));
  const content = { signatures, payload: { ...wrapping, action: inner } };
  const hash = keccak256(agentPreimage(content, options));
  const fields = [...NETWORK_FIELDS, { name: 'multiSigActionHash', type: 'bytes32' }, NONCE];
  const network = options.network ?? TESTNET;
  const message = { ...network, multiSigActionHash: hash, nonce: BigInt(nonce) };
  const domain = domainOf(network, options.signatureChainId);
  const typed = typedBytes(domain, { SendMultiSig: fields }, 'SendMultiSig', message);
  const envelope = {
    action: { type: 'multiSig', ...content },
    nonce,
    ...(vaultAddress === undefined ? {} : { vaultAddress }),
    ...(expiresAfter === undefined ? {} : { expiresAfter }),
  };
  return signedTyped(outerKey, typed, withChain(envelope, options));
}

function innerDigest(inner: JsonObject, wrapping: Wrapping, options: MultiSigOptions): Hex {
  if (isDirect(inner['type'])) return keccak256(directBytes(inner, options, wrapping));
  const { multiSigUser, outerSigner } = wrapping;
  const packed = bytesToHex(encode([multiSigUser, outerSigner, inner]));
  return agentDigest(inner, { ...options, packed }).digest;
}

function directBytes(action: JsonObject, options: DirectOptions, wrapping?: Wrapping): Hex {
  const type = String(action['type']);
  const primaryType = type.charAt(0).toUpperCase() + type.slice(1);
  const own = FIELDS[type];
  if (own === undefined) throw new Error(`${type} is not a direct action`);
  const between = wrapping === undefined ? [] : WRAPPED;
  const types: Types = { [primaryType]: [...NETWORK_FIELDS, ...between, ...own, NONCE] };
  const message = {
    ...action,
    agentName: action['agentName'] ?? '',
    nonce: BigInt(Number(action['nonce'])),
    payloadMultiSigUser: wrapping?.multiSigUser,
    outerSigner: wrapping?.outerSigner,
  };
  const domain = domainOf(options.network ?? TESTNET, options.signatureChainId);
  return typedBytes(domain, types, primaryType, message);
}

async function signedTyped(
  privateKey: Hex,
  typed: Hex,
  unsigned: Omit<Envelope, 'signature'>,
): Promise<Signed> {
  const digest = keccak256(typed);
  const signature = await signDigest(privateKey, digest);
  const { action, ...rest } = unsigned;
  const envelope = { action, signature, ...rest };
  return { envelope, digest, ...receiptNames(typed, signature) };
}

function withChain<Unsigned extends object>(
  unsigned: Unsigned,
  { signatureChainId }: DirectOptions,
): Unsigned & { signatureChainId?: number } {
  return signatureChainId === undefined ? unsigned : { ...unsigned, signatureChainId };
}
