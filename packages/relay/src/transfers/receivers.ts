import type { Hex } from 'viem';
import type { RelayBook, Trouble } from '../book/relay-book.ts';
import type { RelayChain } from '../chains/relay-chain.ts';
import type { RelayKeys } from '../relay-keys.ts';
import type { VenueFacts } from '../venue-api.ts';

type ReceiverParts = {
  readonly book: RelayBook;
  readonly keys: RelayKeys;
  readonly facts: Pick<VenueFacts, 'bridge' | 'token'>;
  readonly chains: ReadonlyMap<string, RelayChain>;
};

/** Returns true for an address that can be paid. */
export type CanReceive = (receiver: Hex) => boolean;

const ZERO: Hex = `0x${'0'.repeat(40)}`;

/**
 * Returns a function that refuses receivers that cannot use the money. The zero address and
 * contracts have no owner's key (R-transfer), and a payment to the bridge or to one of the relay's
 * addresses would count as the relay's own money. A contract on one chain is refused on all chains,
 * because contracts often have the same address on several.
 */
export function receiversOf({ book, chains, facts, keys }: ReceiverParts): CanReceive {
  const tokens = [...chains.values()].map(({ token }) => token);
  const own = [keys.address('float'), keys.address('minter')];
  const never = new Set([ZERO, facts.bridge, facts.token, ...tokens, ...own].map(lower));
  return (receiver) => !never.has(lower(receiver)) && !book.hasGiven(lower(receiver));
}

/** The obstacle for an address that was assigned before its receiver became invalid. */
export const NO_RECEIVER: Trouble = {
  what: 'receiver',
  detail: 'the recipient is a contract of the venue or an address of the relay',
};

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
