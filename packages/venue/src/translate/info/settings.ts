import { LIMITS, type Settings } from '@oddlot/protocol';
import { formatMoney, MONEY_DECIMALS } from '@oddlot/units';
import { answer, type InfoHandler } from './handler.ts';
import type { ReplicaList } from './replica-list.ts';

/** Builder fees need 47 or later. */
const PROTOCOL_VERSION = 47;

/** In snake_case, as the interface names these fields. */
export const settings: InfoHandler<'settings', Settings> = ({
  network,
  settings: deployment,
  state,
}) =>
  answer({
    bridge2_contract_address: deployment.bridgeContractAddress,
    settlement_chain_id: deployment.settlementChainId,
    usdc_contract_address: deployment.usdcContractAddress,
    insurance_fund_address: state.parameters?.insuranceFundAddress ?? '',
    usdc_decimals: MONEY_DECIMALS,
    min_deposit: String(LIMITS.depositMicroMin),
    min_withdraw: formatMoney(state.parameters?.withdrawMinMicroUsdc ?? LIMITS.withdrawMicroMin),
    withdraw_fee: formatMoney(state.parameters?.withdrawFeeMicroUsdc ?? 0),
    service_network: network.serviceNetwork,
    chain_id: network.chainId,
    api_version: network.apiVersion,
    protocol_version: PROTOCOL_VERSION,
    ...relayOf(deployment.relayUrl),
    chain_name: deployment.chainName,
    settlement_rpc_url: deployment.settlementRpcUrl ?? null,
    faucet_amount: deployment.faucetUsdc === undefined ? null : String(deployment.faucetUsdc),
    simulated_traders: deployment.hasBots ?? false,
    simulated_accounts: [...(deployment.botAccounts ?? [])],
    has_leaderboard: deployment.hasLeaderboard ?? true,
    ...replicasOf(deployment.replicas?.() ?? []),
  });

function relayOf(url: string | undefined) {
  return url === undefined
    ? ({ has_relay: false, relay_url: '' } as const)
    : ({ has_relay: true, relay_url: url } as const);
}

/** Those that clients can reach; one alone is what they know already. */
function replicasOf(told: ReturnType<ReplicaList>): Pick<Settings, 'replicas'> {
  const replicas = told.map(({ height, replica, url }) => ({ replica, url, height }));
  return replicas.length < 2 ? {} : { replicas };
}
