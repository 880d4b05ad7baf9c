import { TEST_USDC_ABI } from '@oddlot/contracts';
import { concat, encodeFunctionData, getContractAddress, type Hex, parseUnits } from 'viem';
import type { TestChain } from './local-chain.ts';

type Place = {
  readonly chain: TestChain;
  readonly token: Hex;
  readonly bridge: string;
  readonly mint: (to: Hex, amount: string) => Promise<void>;
};

/** Deploys a contract whose constructor pays the bridge, like an exchange's contract wallet. */
export async function payFromContract(
  { bridge, chain, mint, token }: Place,
  amount: string,
): Promise<{ hash: Hex; payer: Hex }> {
  const from = chain.wallet.account.address;
  const nonce = await chain.reads.getTransactionCount({ address: from });
  // The contract's address can be computed in advance, so the address receives the USDC before the
  // contract exists.
  const payer = getContractAddress({ from, nonce: BigInt(nonce + 1) });
  await mint(payer, amount);
  const transfer = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'transfer',
    args: [bridge as Hex, parseUnits(amount, 6)],
  });
  // The constructor copies the call data that is appended to its code, calls the token with it, and
  // leaves a single byte as the contract's code.
  const code = `6044602e6000396000600060446000600073${token.slice(2)}5af15060016000f3`;
  const data = concat([`0x${code}`, transfer]);
  const hash = await chain.wallet.sendTransaction({ data, gas: 300_000n });
  await chain.reads.waitForTransactionReceipt({ hash });
  return { hash, payer };
}
