import { readFileSync } from 'node:fs';

type Hex = `0x${string}`;

/** A signed request created by other libraries, with all intermediate values. */
export type Vector = {
  readonly name: string;
  readonly scheme: 'agent' | 'direct' | 'multiSig';
  /** The JSON text, exactly as sent. */
  readonly action: string;
  readonly nonce: number;
  readonly vaultAddress: string | null;
  readonly signatureChainId: number | null;
  readonly expiresAfter: number | null;
  readonly serviceNetwork: string;
  readonly chainId: number;
  readonly apiVersion: number;
  readonly privateKey: Hex;
  /** The MessagePack bytes; absent for direct actions. Those of a wrapper exclude its `type`. */
  readonly msgpack?: Hex;
  readonly digest: Hex;
  readonly signature: { readonly r: string; readonly s: string; readonly v: number };
  readonly signer: string;
  readonly txHash: string;
  /** Signatures of the inner action of a multiSig wrapper. */
  readonly inner?: {
    readonly digest: Hex;
    readonly signers: readonly { readonly privateKey: Hex; readonly signer: string }[];
  };
};

export const { cases: VECTORS } = JSON.parse(
  readFileSync(new URL('../../vectors/signing.json', import.meta.url), 'utf8'),
) as { cases: readonly Vector[] };

export function vectorOf(name: string): Vector {
  const found = VECTORS.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

export function domainChainOf({ scheme, signatureChainId, chainId }: Vector): number {
  return scheme === 'agent' ? chainId : (signatureChainId ?? chainId);
}
