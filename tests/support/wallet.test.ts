import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keccak256, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Json } from './client.ts';
import {
  addressInScript,
  addressOf,
  agentPreimage,
  keyOf,
  signAgentAction,
  signApproveAgent,
  signDigest,
  signInScript,
  traceIdOf,
} from './wallet.ts';

/**
 * The tests' signing code does not use the venue's, so it is checked against the published vectors
 * here.
 */

const vectors: Json = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'vectors', 'signing.json'), 'utf8'),
);

const networkOf = (vector: Json) => ({
  serviceNetwork: vector.serviceNetwork,
  chainId: vector.chainId,
  apiVersion: vector.apiVersion,
});

describe("signing agent actions without the venue's code", () => {
  const agentSigned: Json[] = vectors.cases.filter((vector: Json) => vector.scheme === 'agent');

  test.each(agentSigned)('reproduces the published vector for $name', async (vector: Json) => {
    const action = JSON.parse(vector.action);
    const options = {
      nonce: vector.nonce,
      vaultAddress: vector.vaultAddress,
      expiresAfter: vector.expiresAfter,
      network: networkOf(vector),
    };
    const signed = await signAgentAction(vector.privateKey as Hex, action, options);
    expect(agentPreimage(action, options).startsWith(vector.msgpack)).toBe(true);
    expect(keccak256(agentPreimage(action, options))).toBe(vector.connectionId);
    expect(signed.digest).toBe(vector.digest);
    expect(signed.envelope.signature).toEqual(vector.signature);
    expect(signed.txHash).toBe(vector.txHash);
  });

  const approvals: Json[] = vectors.cases.filter(
    (vector: Json) => vector.scheme === 'direct' && vector.name.startsWith('approveAgent'),
  );

  test.each(approvals)(
    'reproduces the published approval vector for $name',
    async (vector: Json) => {
      const action = JSON.parse(vector.action);
      const signed = await signApproveAgent(vector.privateKey as Hex, {
        agentAddress: action.agentAddress,
        agentName: action.agentName,
        nonce: vector.nonce,
        network: networkOf(vector),
        ...(vector.signatureChainId === null ? {} : { signatureChainId: vector.signatureChainId }),
      });
      expect(JSON.stringify(signed.envelope.action)).toBe(JSON.stringify(action));
      expect(signed.digest).toBe(vector.digest);
      expect(signed.envelope.signature).toEqual(vector.signature);
      expect(signed.txHash).toBe(vector.txHash);
    },
  );

  test('native and JavaScript signing code produce the same signatures and addresses', async () => {
    for (let n = 0; n < 40; n += 1) {
      const [key, digest] = [keyOf(`signer ${n}`), keyOf(`digest ${n}`)];
      expect(await signDigest(key, digest)).toEqual(await signInScript(key, digest));
      expect(addressOf(key)).toBe(addressInScript(key));
    }
  });

  test("a request's trace id is derived from its hash", () => {
    const { txHash, traceId } = vectors.traceIdExample;
    expect(traceIdOf(txHash)).toBe(traceId);
  });
});
