import { BRIDGE_ABI } from '@oddlot/contracts';
import { TEST_CHAIN_ID } from '@oddlot/custody/testing';
import { encodeFunctionData, type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestSettlement } from './test-settlement.ts';

/** A payout of the bridge, signed by all validators and sent by the relayer, without the venue. */
export async function payByHand(
  { chain, contracts, keys }: TestSettlement,
  payout: {
    readonly withdrawalId: bigint;
    readonly user: Hex;
    readonly destination: Hex;
    readonly usd: bigint;
  },
): Promise<void> {
  const validators = keys.validators
    .map((key) => privateKeyToAccount(key))
    .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  const signatures = await Promise.all(
    validators.map(async (validator) => {
      const text = await validator.signTypedData({
        domain: {
          name: 'OddlotBridge',
          version: '1',
          chainId: TEST_CHAIN_ID,
          verifyingContract: contracts.bridge,
        },
        types: {
          Payout: [
            { name: 'withdrawalId', type: 'uint64' },
            { name: 'user', type: 'address' },
            { name: 'destination', type: 'address' },
            { name: 'usd', type: 'uint64' },
          ],
        },
        primaryType: 'Payout',
        message: payout,
      });
      const { r, s, yParity } = parseSignature(text);
      return { r: BigInt(r), s: BigInt(s), v: 27 + yParity };
    }),
  );
  const data = encodeFunctionData({
    abi: BRIDGE_ABI,
    functionName: 'payOut',
    args: [payout, signatures],
  });
  const relayer = privateKeyToAccount(keys.relayer);
  const nonce = await chain.rpc('eth_getTransactionCount', [relayer.address, 'pending']);
  const raw = await relayer.signTransaction({
    type: 'eip1559',
    chainId: TEST_CHAIN_ID,
    to: contracts.bridge,
    data,
    nonce: Number(nonce),
    gas: 1_000_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
  });
  const hash = await chain.rpc('eth_sendRawTransaction', [raw]);
  const receipt = (await chain.rpc('eth_getTransactionReceipt', [hash])) as { status: Hex };
  if (receipt.status !== '0x1') throw new Error('the bridge refused a payout');
}
