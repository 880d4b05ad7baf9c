import { type DepositLog, ON_CHAIN, readState } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { nextWithdrawalId, type State } from '@oddlot/engine';
import type { Hex } from 'viem';

/** A withdrawal that the bridge knows and this venue has never issued. */
export type ForeignPayout = {
  readonly withdrawalId: string;
  /** Undefined where only the number is known to be taken. */
  readonly txHash?: Hex;
};

/**
 * The bridge has paid for another log (this data folder is empty, or an older copy), or somebody else
 * has the validators' keys. Either way the accounts no longer match what the bridge holds.
 */
export class ForeignPayoutError extends Error {
  override readonly name = 'ForeignPayoutError';

  constructor({ txHash, withdrawalId }: ForeignPayout) {
    const where = txHash === undefined ? '' : ` in ${txHash}`;
    super(
      `the bridge knows withdrawal ${withdrawalId}${where}, which this venue never issued: ` +
        'the data folder belongs to another bridge, or keys were stolen',
    );
  }
}

/** By logs that were read: the first payout of a number that no withdrawal has. */
export function foreignAmong(logs: readonly DepositLog[], state: State): ForeignPayout | undefined {
  const next = BigInt(nextWithdrawalId(state));
  const isForeign = ({ withdrawalId }: DepositLog): boolean =>
    withdrawalId !== undefined && withdrawalId >= next;
  const found = logs.find(isForeign);
  if (found?.withdrawalId === undefined) return undefined;
  return { withdrawalId: String(found.withdrawalId), txHash: found.source.txHash as Hex };
}

/**
 * By the number that the next withdrawal will have: numbers count up, so a bridge that went on under
 * another log has it taken. One question tells before a block is read or anything is credited. A number that
 * the guardian has cancelled has moved no money: its withdrawal is returned when it comes.
 */
export async function foreignAhead(
  client: ChainClient,
  bridge: Hex,
  state: () => State,
): Promise<ForeignPayout | undefined> {
  // The block comes first: what it has paid the venue has issued by the time the number is read.
  const { confirmed } = await client.head();
  const withdrawalId = nextWithdrawalId(state());
  const stands = await readState(client, bridge, { withdrawalId, block: confirmed });
  const isTaken = stands === ON_CHAIN.queued || stands === ON_CHAIN.paid;
  return isTaken ? { withdrawalId: String(withdrawalId) } : undefined;
}
