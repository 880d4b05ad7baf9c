import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from './client.ts';
import { signDirect, signMultiSig } from './direct.ts';

/**
 * The tests' signing code does not use the venue's, so it is checked against the published vectors
 * here.
 */

const vectors: Json = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'vectors', 'signing.json'), 'utf8'),
);
const casesOf = (scheme: string): Json[] =>
  vectors.cases.filter((vector: Json) => vector.scheme === scheme);

function optionsOf(vector: Json) {
  const { serviceNetwork, chainId, apiVersion, nonce, signatureChainId } = vector;
  const network = { serviceNetwork, chainId, apiVersion };
  return { nonce, network, ...(signatureChainId === null ? {} : { signatureChainId }) };
}

describe("signing direct actions without the venue's code", () => {
  test.each(casesOf('direct'))(
    'reproduces the published vector for $name',
    async (vector: Json) => {
      const action = JSON.parse(vector.action);
      const signed = await signDirect(vector.privateKey, action, optionsOf(vector));
      expect(signed.digest).toBe(vector.digest);
      expect(signed.envelope.signature).toEqual(vector.signature);
      expect(signed.txHash).toBe(vector.txHash);
    },
  );

  test.each(casesOf('multiSig'))(
    'reproduces the published wrapper vector for $name',
    async (vector: Json) => {
      const { payload } = JSON.parse(vector.action);
      const { multiSigUser, outerSigner, action } = payload;
      const signed = await signMultiSig(action, {
        ...optionsOf(vector),
        vaultAddress: vector.vaultAddress,
        expiresAfter: vector.expiresAfter,
        multiSigUser,
        outerKey: vector.privateKey,
        innerKeys: vector.inner.signers.map((signer: Json) => signer.privateKey),
      });
      expect(JSON.stringify(signed.envelope.action)).toBe(vector.action);
      expect(signed.digest).toBe(vector.digest);
      expect(signed.envelope.signature).toEqual(vector.signature);
      expect(signed.txHash).toBe(vector.txHash);
      expect(outerSigner).toBe(vector.signer);
    },
  );
});
