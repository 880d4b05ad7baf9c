import { TEST_USDC_ABI } from '@oddlot/contracts';
import { encodeFunctionData } from 'viem';
import { allowanceOf, type SettlementLine } from '../chains/relay-chain.ts';
import type { Trouble } from '../book/records.ts';

/** Micro-USDC. */
type Claims = {
  /** What the bridge is to take now, and is among those that wait. */
  readonly amount: bigint;
  /** What the relay has; more than that it does not allow. */
  readonly balance: bigint;
  /** In transactions that no block has yet. */
  readonly sent: bigint;
  /** All that is to be handed on and was not sent. */
  readonly waiting: bigint;
};

/**
 * Lets the bridge take what is to be handed on, and no more: who finds a fault in a bridge that may take everything, takes
 * everything. An allowance replaces the one before, so it is given for all that waits together, when nothing is under way;
 * one that is too large, of a former release or of a deposit that failed, is replaced in the same way. Undefined
 * when the amount may be taken.
 */
export async function approveExactly(
  settlement: SettlementLine,
  { amount, balance, sent, waiting }: Claims,
): Promise<Trouble | undefined> {
  const { bridge, relayer, token } = settlement;
  const allowed = await allowanceOf(settlement);
  const isTooMuch = allowed > sent + waiting;
  if (allowed - sent >= amount && !isTooMuch) return undefined;
  if (sent > 0n) return NOT_YET;
  let times = 0;
  const keyOf = (): string => `approve:${bridge}:${times}`;
  while (relayer.find(keyOf())?.mined?.isConfirmed === true) times += 1;
  const args = [bridge, waiting < balance ? waiting : balance] as const;
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'approve', args });
  await relayer.submit({ key: keyOf(), to: token, data });
  return NOT_YET;
}

const NOT_YET: Trouble = {
  what: 'chain',
  detail: 'the allowance of the bridge is not confirmed yet',
};
