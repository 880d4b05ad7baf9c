import { simulatedAccounts } from '../bots/simulated-accounts.ts';
import { type Config, hasBots, hasFaucet, settlementChainIdOf } from '../config.ts';
import { simulatedPast } from '../oracle/simulated-past.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';
import type { InfoSettings } from '../translate/answer-info.ts';
import type { ReplicaList } from '../translate/info/handler.ts';

const UNSET_ADDRESS = '0x0000000000000000000000000000000000000000';

/** What queries tell of how the venue was configured. Without a settlement chain the addresses of its contracts are shown as unset. */
export function infoSettings(
  config: Config,
  money: OpenedSettlement | undefined,
  relay: { readonly url: string | undefined },
  replicas?: ReplicaList,
): InfoSettings {
  const { bridge = UNSET_ADDRESS, token = UNSET_ADDRESS } = money?.settlement.contracts ?? {};
  return {
    bridgeContractAddress: bridge,
    usdcContractAddress: token,
    hasChain: money !== undefined,
    settlementRpcUrl: config.settlementRpcUrl ?? money?.rpcUrl,
    settlementChainId: settlementChainIdOf(config),
    /** Known when the relay serves, which is after the venue does. */
    get relayUrl() {
      return relay.url;
    },
    chainName: 'oddlot',
    faucetUsdc: hasFaucet(config) ? config.faucetUsdc : undefined,
    hasBots: hasBots(config),
    botAccounts: hasBots(config) ? simulatedAccounts() : [],
    simulatedPast: config.oracle === 'simulated' ? simulatedPast : undefined,
    hasLeaderboard: config.leaderboard,
    replicas,
  };
}
