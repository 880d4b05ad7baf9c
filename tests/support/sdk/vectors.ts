import { readFileSync } from 'node:fs';

type Hex = `0x${string}`;

/** A signed request that other libraries made, with every value on the way. */
export type Vector = {
  readonly name: string;
  readonly scheme: 'agent' | 'direct' | 'multiSig';
  /** The JSON text as sent. */
  readonly action: string;
  readonly nonce: number;
  readonly vaultAddress: string | null;
  readonly signatureChainId: number | null;
  readonly expiresAfter: number | null;
  readonly serviceNetwork: string;
  readonly chainId: number;
  readonly apiVersion: number;
  readonly privateKey: Hex;
  /** Absent for direct actions; of a wrapper it is without its `type`. */
  readonly msgpack?: Hex;
  readonly digest: Hex;
  readonly signature: { readonly r: string; readonly s: string; readonly v: number };
  readonly signer: string;
  readonly txHash: string;
  /** Of a multiSig wrapper: what its signers signed. */
  readonly inner?: {
    readonly digest: Hex;
    readonly signers: readonly { readonly privateKey: Hex; readonly signer: string }[];
  };
};

/** All of them. */
export const { cases: VECTORS } = JSON.parse(
  readFileSync(new URL('../../vectors/signing.json', import.meta.url), 'utf8'),
) as { cases: readonly Vector[] };

/** One of them. */
export function vectorOf(name: string): Vector {
  const found = VECTORS.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

/** The chain id of the domain that a vector is signed under. */
export function domainChainOf({ scheme, signatureChainId, chainId }: Vector): number {
  return scheme === 'agent' ? chainId : (signatureChainId ?? chainId);
}
