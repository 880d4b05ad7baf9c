import { useQuery } from '@tanstack/react-query';
import type { RelayChainRow, Settings } from '@oddlot/sdk';
import { loadSigning } from '../../../session/load-signing.ts';

const NONE: readonly RelayChainRow[] = [];

/** Settings of a venue with a relay. */
export type RelaySettings = Extract<Settings, { has_relay: true }>;

/** The chains that the relay serves; the settlement chain needs none. */
export function useRelayChains({
  relay_url: url,
  settlement_chain_id: settlement,
}: RelaySettings): {
  readonly chains: readonly RelayChainRow[];
  readonly error: Error | null;
} {
  const { data, error } = useQuery({
    queryKey: ['relayChains', url],
    queryFn: async () => (await loadSigning()).relayAt(url).chains(),
  });
  const chains = data?.filter(({ chainId, enabled }) => enabled && chainId !== settlement) ?? NONE;
  return { chains, error };
}

/** `base` is written `Base`. */
export function relayChainName(chain: string): string {
  return chain.charAt(0).toUpperCase() + chain.slice(1);
}
