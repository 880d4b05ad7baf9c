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

/** True of an address that money can be handed on to. */
export type CanReceive = (receiver: Hex) => boolean;

const ZERO: Hex = `0x${'0'.repeat(40)}`;

/**
 * Nobody has the key of the zero address or of a contract (R-transfer), and what comes to the bridge or
 * to an address of the relay counts as money of whoever paid it, which is the relay. Contracts of one
 * chain are refused on all: they often have one address on several.
 */
export function receiversOf({ book, chains, facts, keys }: ReceiverParts): CanReceive {
  const tokens = [...chains.values()].map(({ token }) => token);
  const own = [keys.address('float'), keys.address('minter')];
  const never = new Set([ZERO, facts.bridge, facts.token, ...tokens, ...own].map(lower));
  return (receiver) => !never.has(lower(receiver)) && !book.hasGiven(lower(receiver));
}

/** Of what was promised before the address became one that nobody is paid at. */
export const NO_RECEIVER: Trouble = {
  what: 'receiver',
  detail: 'the recipient is a contract of the venue or an address of the relay',
};

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
