import { BRIDGE_ABI } from '@oddlot/contracts';
import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { type Address, address } from '@oddlot/units';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';

/** The contracts are not those that the configuration means. */
class WrongContractsError extends Error {
  override readonly name = 'WrongContractsError';
}

/**
 * Contracts often have one address on several chains: money of another chain must not count as of this one.
 * Tells who acts for the bridge by what the bridge itself says: its guardian and its validators.
 */
export async function verifyChain(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
): Promise<readonly Address[]> {
  await client.assertChain();
  const { confirmed } = await client.head();
  for (const [name, at] of [
    ['bridgeContract', bridge],
    ['usdcContract', token],
  ] as const) {
    if ((await client.codeAt(at, confirmed)) === '0x') {
      throw new WrongContractsError(`${name}: no contract at ${at}`);
    }
  }
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'token' });
  const told: Hex = `0x${(await client.call({ to: bridge, data })).slice(-40)}`;
  if (told.toLowerCase() !== token) {
    throw new WrongContractsError(`the bridge uses the token ${told}, not usdcContract ${token}`);
  }
  const abi = BRIDGE_ABI;
  const ask = (functionName: 'guardian' | 'validators'): Promise<Hex> =>
    client.call({ to: bridge, data: encodeFunctionData({ abi, functionName }) });
  const [guardian, validators] = await Promise.all([ask('guardian'), ask('validators')]);
  return [
    decodeFunctionResult({ abi, functionName: 'guardian', data: guardian }),
    ...decodeFunctionResult({ abi, functionName: 'validators', data: validators }),
  ].map((each) => address(each.toLowerCase()));
}
