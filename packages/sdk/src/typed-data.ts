import {
  AGENT,
  bytesToHex,
  DIRECT_STRUCTS,
  domainOf,
  isDirectActionType,
  SEND_MULTI_SIG,
  withMultiSigFields,
  type ActionHash,
  type Domain,
  type InnerHash,
  type MultiSigPayload,
  type Network,
  type StructType,
  type StructValues,
} from '@oddlot/protocol';

/** The EIP-712 typed data in the form that wallets accept. */
export type TypedData = {
  readonly domain: Domain;
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  readonly primaryType: string;
  /**
   * The values of the message. Integers are decimal strings, because some wallets lose precision on
   * large numbers.
   */
  readonly message: Readonly<Record<string, string>>;
};

/** A hashed action, with the data that its hash does not cover. */
type HashedAction = {
  readonly hash: ActionHash;
  readonly action: StructValues;
  readonly nonce: number;
  readonly network: Network;
};

/** The possible fields of a domain, in the standard's order. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/** Returns the typed data of a hashed action, which has the same digest. */
export function typedDataOf({ hash, action, nonce, network }: HashedAction): TypedData {
  const values = valuesOf(hash, { action, nonce, network });
  return typedData(structOf(hash, action), values, domainOf(network, hash.domainChainId));
}

/** Returns the typed data of a wrapper's inner action, for a signer of a multi-sig account. */
export function innerTypedDataOf(
  hash: InnerHash,
  payload: MultiSigPayload,
  network: Network,
): TypedData {
  const domain = domainOf(network, hash.domainChainId);
  if (hash.scheme === 'agent') {
    return typedData(AGENT, { ...network, connectionId: hash.connectionId }, domain);
  }
  const { multiSigUser: payloadMultiSigUser, outerSigner, action } = payload;
  const struct = withMultiSigFields(structOf(hash, action));
  return typedData(struct, { ...action, payloadMultiSigUser, outerSigner }, domain);
}

/**
 * Converts a struct to the form that wallets accept. It always includes `EIP712Domain`, because
 * many wallets hash the domain with the fields listed there, and hash an empty domain if it is
 * absent.
 */
export function typedData(struct: StructType, values: StructValues, domain: Domain): TypedData {
  return {
    domain,
    types: {
      EIP712Domain: DOMAIN_FIELDS.filter(({ name }) => name in domain),
      [struct.name]: struct.fields.map(([name, type]) => ({ name, type })),
    },
    primaryType: struct.name,
    message: Object.fromEntries(
      struct.fields.map(([name, type]) => [name, plainValue(type, values[name])]),
    ),
  };
}

function structOf({ scheme }: Pick<ActionHash, 'scheme'>, action: StructValues): StructType {
  if (scheme === 'multiSig') return SEND_MULTI_SIG;
  const type = String(action['type']);
  return isDirectActionType(type) ? DIRECT_STRUCTS[type] : AGENT;
}

function valuesOf(hash: ActionHash, rest: Omit<HashedAction, 'hash'>): StructValues {
  switch (hash.scheme) {
    case 'agent':
      return { ...rest.network, connectionId: hash.connectionId };
    case 'multiSig':
      return { ...rest.network, multiSigActionHash: hash.multiSigActionHash, nonce: rest.nonce };
    case 'direct':
      return rest.action;
  }
}

/**
 * Converts a value to a string: bytes to hex, an absent string to an empty one, and addresses to
 * lower case, which all wallets accept.
 */
function plainValue(type: string, value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : '';
  return type === 'address' ? text.toLowerCase() : text;
}
