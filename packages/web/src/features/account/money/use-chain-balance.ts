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
  const newest = ledgerLists.use(user, ({ rows }) => rows[0]);
  const wallet = providerOf(user);
  return useQuery({
    queryKey: [NAME, user, newest?.time, newest?.delta.type],
    queryFn: () => usdcOf(chain!, user, wallet),
    enabled: chain !== undefined && (chain.settlement_rpc_url !== null || wallet !== undefined),
    placeholderData: (before) => before,
    staleTime: 0,
    refetchInterval: EVERY_MS,
  }).data;
}

/** After something that moved money on the chain. */
export function askChainBalance(): void {
  void queryClient.invalidateQueries({ queryKey: [NAME] });
}
