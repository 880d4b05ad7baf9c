import { useQuery } from '@tanstack/react-query';
import { ledgerLists } from '../../../market/account-lists.ts';
import { queryClient } from '../../../market/queries.ts';
import { providerOf } from '../../../session/browser-wallets.ts';
import { usdcOf, type Chain } from '../../../session/settlement-chain.ts';

const EVERY_MS = 5_000;
const NAME = 'chainBalance';

/** USDC of an address on the settlement chain; undefined where nobody can be asked. */
export function useChainBalance(chain: Chain | undefined, user: string): string | undefined {
  // A deposit that arrived, or a withdrawal that was paid, changed it.
  const moved = ledgerLists.use(user, ({ rows }) => {
    const paid = rows.filter(
      ({ delta }) => delta.type === 'withdraw' && delta.status !== 'pending',
    );
    return `${rows[0]?.time} ${paid.length}`;
  });
  const wallet = providerOf(user);
  return useQuery({
    queryKey: [NAME, user, moved],
    queryFn: () => usdcOf(chain!, user, wallet),
    enabled: chain !== undefined && (chain.settlement_rpc_url !== null || wallet !== undefined),
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: EVERY_MS,
  }).data;
}

export function askChainBalance(): void {
  void queryClient.invalidateQueries({ queryKey: [NAME] });
}
