import { payOutData } from '@oddlot/custody/bridge-contract';
import { keyValidator, type Payout } from '@oddlot/custody/signing';
import { type BridgedChain, TEST_CHAIN_ID } from '@oddlot/testing/custody';
import type { Hex } from 'viem';

/**
 * Pays out from the bridge without the venue. All validators sign, and the relayer's key sends the
 * transaction.
 */
export async function payFromBridge(bridged: BridgedChain, payout: Payout): Promise<void> {
  const { chain, contracts, keys } = bridged;
  const domain = { chainId: TEST_CHAIN_ID, bridge: contracts.bridge };
  const { signal } = new AbortController();
  const signed = await Promise.all(
    keys.validators.map((key) =>
      keyValidator(key, domain).sign({ type: 'payout', payout }, signal),
    ),
  );
  const sorted = signed.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const call = { to: contracts.bridge, data: payOutData(payout, sorted) };
  const hash = await bridged.send(keys.relayer, call);
  const receipt = (await chain.rpc('eth_getTransactionReceipt', [hash])) as { status: Hex };
  if (receipt.status !== '0x1') throw new Error('the bridge refused a payout');
}
