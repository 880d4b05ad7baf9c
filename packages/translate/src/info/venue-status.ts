import {
  doWithdrawalsWait,
  type FeeTier,
  type FeeTierView,
  feeTierView,
  oracleAges,
  type State,
  venueMoney,
} from '@oddlot/engine';
import {
  type FeeTierRates,
  type FeeTierRow,
  LIMITS,
  type Settings,
  type VenueGate,
  type VenueOracle,
  type VenueStatus,
} from '@oddlot/protocol';
import { formatMoney, MONEY_DECIMALS, ZERO_USDC } from '@oddlot/units';
import { answer, type InfoHandler, type ReplicaList, type StateQueries } from './info-context.ts';
import { formatRate } from '../format.ts';

/**
 * Returns the operators and the health of the venue. Only the sizes of a gate's lists are shown,
 * because the lists identify users.
 */
const venueStatus: InfoHandler<'venueStatus', VenueStatus> = ({ state }) => {
  const { accounts, gates, height, outcomes, parameters, timeMs, withdrawals } = state;
  return answer({
    height,
    time: timeMs,
    admins: [...(parameters?.admins ?? [])],
    deployers: [...(parameters?.deployers ?? [])],
    gates: gates.map((gate, channel): VenueGate => ({
      channel: channel === 0 ? 0 : 1,
      mode: gate.mode,
      whitelist: gate.whitelist.size,
      blacklist: gate.blacklist.size,
      accessCodes: gate.codes.size,
      grants: gate.grants.size,
    })),
    ...moneyAndOracles(state),
    accounts: accounts.length,
    queuedOrders: outcomes.queue.size,
    openWithdrawals: withdrawals.size,
    withdrawalsWait: parameters !== undefined && doWithdrawalsWait(state),
  });
};

/** A venue has no prices or insurance fund before its first block. */
function moneyAndOracles(
  state: State,
): Pick<VenueStatus, 'oracles' | 'insuranceFund' | 'insuranceTarget' | 'treasury'> {
  if (state.parameters === undefined) {
    return { oracles: [], insuranceFund: '0', insuranceTarget: '0', treasury: '0' };
  }
  const { insuranceFund, insuranceTarget, treasury } = venueMoney(state);
  return {
    oracles: oracleAges(state, state.timeMs).map(
      ({ ageMs, isStale, isTrading, name }): VenueOracle => ({
        coin: name,
        trading: isTrading,
        ageMs: ageMs ?? null,
        stale: isStale,
      }),
    ),
    insuranceFund: formatMoney(insuranceFund),
    insuranceTarget: formatMoney(insuranceTarget),
    treasury: formatMoney(treasury),
  };
}

/** The venue's protocol version. Clients send builder fees only if it is 47 or higher. */
const PROTOCOL_VERSION = 47;

const settings: InfoHandler<'settings', Settings> = ({ network, settings: deployment, state }) =>
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

/**
 * Lists the replicas that clients can reach. A single replica is omitted, because the client is
 * already connected to it.
 */
function replicasOf(listed: ReturnType<ReplicaList>): Pick<Settings, 'replicas'> {
  const replicas = listed.map(({ height, replica, url }) => ({ replica, url, height }));
  return replicas.length < 2 ? {} : { replicas };
}

/** The id of the outcome exchange, in which each market has its own fee rates. */
const OUTCOME_EXCHANGE_ID = 1;
/** The default taker fee of an outcome market, in units of 10^-8. */
const OUTCOME_TAKER_FEE_E8 = 7_000_000;
const NO_FEES: FeeTier = { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 0, takerFeeE8: 0 };
const NO_TIER: FeeTierView = { tier: NO_FEES, volume14d: ZERO_USDC, next: undefined };

const feeTierInfo: InfoHandler<'feeTierInfo', { tiers: FeeTierRow[] }> = (
  { state },
  { exchangeId },
) => {
  const ladder = state.parameters?.feeTiers ?? [];
  const tiers = exchangeId === OUTCOME_EXCHANGE_ID ? [NO_FEES] : ladder;
  return answer({ tiers: tiers.map(tierRow) });
};

const feeTierRates: InfoHandler<'feeTierRates', FeeTierRates> = ({ state }, { user }) => {
  // A venue has no fee schedule or volume before its first block.
  const { tier, volume14d, next } =
    state.parameters === undefined ? NO_TIER : feeTierView(state, user);
  const { perpMakerFeeRate, perpTakerFeeRate } = tierRow(tier);
  return answer({
    user,
    level: tier.level,
    volume14d: formatMoney(volume14d),
    perpMakerFeeRate,
    perpTakerFeeRate,
    outcomeTakerFeeRate: formatRate(OUTCOME_TAKER_FEE_E8),
    nextLevel: next?.level ?? null,
    nextMin14dTradingVolume: next === undefined ? null : formatMoney(next.minVolumeMicroUsdc),
  });
};

function tierRow({ level, minVolumeMicroUsdc, makerFeeE8, takerFeeE8 }: FeeTier): FeeTierRow {
  return {
    level,
    min14dTradingVolume: formatMoney(minVolumeMicroUsdc),
    perpMakerFeeRate: formatRate(makerFeeE8),
    perpTakerFeeRate: formatRate(takerFeeE8),
  };
}

export const VENUE_QUERIES = {
  settings: { answer: settings },
  feeTierInfo: { answer: feeTierInfo, isCommon: true },
  feeTierRates: { answer: feeTierRates },
  venueStatus: { answer: venueStatus, isCommon: true },
} as const satisfies StateQueries;
