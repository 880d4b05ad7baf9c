import { type BridgeContracts, depositLogsAmong } from '@oddlot/custody/bridge-contract';
import { type ChainClient, ChainDisagreementError, type ChainReceipt } from '@oddlot/custody/chain';
import type { CreditedDeposit } from '@oddlot/engine';
import type { Hex } from 'viem';
import { depositsIn, type Vanished } from './deposit-book.ts';

/** Deposits whose receipts are asked for at once. */
const AT_ONCE = 25;

/**
 * Which of these deposits the chain does not have any more, or not where it had them: those whose
 * transaction has no receipt, and those whose receipt has nothing at the place that was credited.
 */
export async function findVanished(
  client: ChainClient,
  contracts: BridgeContracts,
  credited: readonly CreditedDeposit[],
): Promise<readonly Vanished[]> {
  const vanished: Vanished[] = [];
  for (let from = 0; from < credited.length; from += AT_ONCE) {
    const some = credited.slice(from, from + AT_ONCE);
    const receipts = await Promise.all(some.map(({ txHash }) => client.receipt(txHash as Hex)));
    for (const [at, deposit] of some.entries()) {
      const receipt = receipts[at];
      if (receipt !== undefined && isThere(receipt, deposit, contracts)) continue;
      if (receipt === undefined && (await client.isInSomeBlock(deposit.txHash as Hex))) {
        throw new ChainDisagreementError(`endpoints disagree about the block of ${deposit.txHash}`);
      }
      const { account, amount, ...source } = deposit;
      vanished.push({ account, amount: String(amount), source });
    }
  }
  return vanished;
}

/** Of a bridge that the venue had before it is only told whether there is anything. */
function isThere(
  { logs, succeeded }: ChainReceipt,
  { account, chainId, logIndex }: CreditedDeposit,
  contracts: BridgeContracts,
): boolean {
  const found = depositsIn(depositLogsAmong(logs, contracts, chainId));
  const places = found.length === 0 ? logs : [];
  return (
    succeeded &&
    (places.some((log) => log.logIndex === logIndex) ||
      found.some((each) => each.source.logIndex === logIndex && each.account === account))
  );
}

/** Those of the second that are not among the first. */
export function vanishedBeyond(
  known: readonly Vanished[],
  found: readonly Vanished[],
): readonly Vanished[] {
  const keys = new Set(known.map(keyOf));
  return found.filter((each) => !keys.has(keyOf(each)));
}

function keyOf({ source: { logIndex, txHash } }: Vanished): string {
  return `${txHash}:${logIndex}`;
}
