/**
 * What a client can do wrong when it signs, in the order in which it is looked for. The names are
 * part of the interface.
 */
export const MISTAKES = [
  'keyOrder',
  'missingType',
  'chainId',
  'networkName',
  'vaultFlag',
  'nonce',
  'trailingZeros',
  'addressCase',
  'vParity',
  'directSignedAsAgent',
  'agentSignedAsDirect',
  'expiresAfter',
] as const;

/** The name of a mistake. */
export type Mistake = (typeof MISTAKES)[number];
