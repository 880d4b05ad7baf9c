import { formatMoney } from '@oddlot/units';
import { formatEther } from 'viem';
import { tokenBalance } from '../chains/relay-chain.ts';
import type { RelayParts } from '../transfers/relay.ts';
import { sumOf } from '../book/relay-book.ts';

/**
 * Returns the operator's status: balances, endpoints, and pending transfers with their obstacles.
 */
export async function relayStatus({
  book,
  chains,
  keys,
}: Pick<RelayParts, 'book' | 'chains' | 'keys'>) {
  const open = book.open();
  const rows = [...chains.values()].map(async (chain) => {
    const { client, relayer, terms } = chain;
    // Failures are visible in the state of the endpoints.
    const [usdc, wei] = await Promise.all([
      tokenBalance(chain, relayer.address).catch(() => undefined),
      client.balanceOf(relayer.address).catch(() => undefined),
    ]);
    return {
      name: terms.name,
      usdc: usdc === undefined ? null : formatMoney(usdc),
      ether: wei === undefined ? null : formatEther(wei),
      endpoints: client.endpoints,
      waiting: relayer.waiting().map(({ attempts, key, nonce, trouble }) => {
        return { key, nonce, txHash: attempts.at(-1)?.txHash, trouble };
      }),
    };
  });
  const collecting = open.filter(({ state }) => state === 'collecting');
  return {
    address: keys.address('float'),
    chains: await Promise.all(rows),
    open: open.length - collecting.length,
    /** The number and total amount of transfers below the minimum. */
    collecting: {
      transfers: collecting.length,
      usdc: formatMoney(collecting.reduce((sum, each) => sum + sumOf(each), 0n)),
    },
    troubled: open.flatMap(({ id, trouble }) => (trouble === undefined ? [] : { id, ...trouble })),
  };
}
