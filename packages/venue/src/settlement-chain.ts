import { checkKeyFiles } from '@oddlot/custody/check-key-files';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import {
  chainOf,
  chainPaceOf,
  chainPortOf,
  type Config,
  keyPlacesOf,
  settlementChainIdOf,
} from './config.ts';
import { type Held, type Lease, SETTLEMENT_LEASE } from '@oddlot/replica/lease';
import { HolderReplica, type Replica, TermOverError } from '@oddlot/replica/replica';
import type {
  OpenedChain,
  OpenedSettlement,
  openSettlement,
  SettlementDependencies,
  SettlementSettings,
} from '@oddlot/settlement/open-settlement';
import { bridgeView, openWithdrawals } from '@oddlot/engine';
import type { LocalReplica } from '@oddlot/replica/local-replica';
import { NO_CHAIN } from '@oddlot/translate/action-to-command';

type MoneyDependencies = {
  readonly clock: Clock;
  readonly replica: Replica;
  readonly log: Logger;
  /** The resources shared by replicas; undefined if the venue runs as a single process. */
  readonly cluster?: SettlementDependencies['cluster'];
};

type ChainStart = {
  readonly log: Logger;
  /** The environment, which can contain configured keys. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onFatal: (error: unknown) => void;
};

type ConfiguredChain = {
  readonly settings: SettlementSettings;
  readonly opened: OpenedChain;
  readonly openSettlement: typeof openSettlement;
};

/** The settlement, and the replica through which it proposes commands while holding its lease. */
export type HeldSettlement = OpenedSettlement & { readonly holder: HolderReplica };

/**
 * Starts the local chain or connects to the configured one, if any. The venue's state is not needed
 * for this.
 */
export async function startSettlementChain(
  config: Config,
  { env = {}, log, onFatal }: ChainStart,
): Promise<ConfiguredChain | undefined> {
  const chain = chainOf(config);
  if (chain === 'none') return undefined;
  // The settlement is loaded on demand, because it is a third of the program and many venues do not
  // need it.
  const program = await import('@oddlot/settlement/open-settlement');
  const settings = await settlementSettings(config, chain, env);
  const isReal = config.network === 'mainnet';
  for (const why of checkKeyFiles(keyPlacesOf(config), { data: config.data, env, isReal }))
    log.warn(why);
  const isOwn = settings.chain === 'local' || settings.chainKeys !== undefined;
  if (isOwn && settings.contracts !== undefined) {
    log.warn('bridgeContract and usdcContract are ignored: the local chain has its own contracts');
  }
  const opened = await program.openChain(settings, { env, onLost: onFatal });
  return { settings, opened, openSettlement: program.openSettlement };
}

async function settlementSettings(
  config: Config,
  chain: SettlementSettings['chain'],
  env: NonNullable<ChainStart['env']>,
): Promise<SettlementSettings> {
  const { parseGwei } = await import('viem');
  const { configuredValidators } = await import('@oddlot/settlement/open-settlement');
  const { bridgeContract, usdcContract } = config;
  const contracts =
    bridgeContract === undefined || usdcContract === undefined
      ? undefined
      : { bridge: bridgeContract as `0x${string}`, token: usdcContract as `0x${string}` };
  return {
    chain,
    chainId: settlementChainIdOf(config),
    ...chainPaceOf(config),
    data: config.data,
    chainKeys: config.chainKeys,
    host: config.chainHost,
    port: chainPortOf(config),
    trustedProxies: config.trustedProxies,
    pageOrigins: config.pageOrigins,
    contracts,
    fromBlock: config.bridgeFromBlock,
    formerBridges: config.formerBridges,
    relayerKey: config.relayerKey,
    validators: configuredValidators(config, env),
    maxFeeWei: parseGwei(String(config.chainMaxFeeGwei)),
    maxTipWei: parseGwei(String(config.chainMaxTipGwei)),
    bumpAfterMs: config.chainBumpAfterMs,
    accepted: config.acceptReorganisation as `0x${string}` | undefined,
    payoutPatienceMs: config.payoutPatienceMs,
    fundEveryMs: config.faucetEveryMs,
  };
}

/** Creates the settlement of the venue if it has a chain. Nothing is read or sent yet. */
export function openMoney(
  chain: ConfiguredChain | undefined,
  { clock, cluster, log, replica }: MoneyDependencies,
): HeldSettlement | undefined {
  if (chain === undefined) return undefined;
  const { opened, settings } = chain;
  const now = (): number => clock.nowMs();
  const holder = new HolderReplica(replica, SETTLEMENT_LEASE);
  const money = chain.openSettlement(settings, opened, { replica: holder, log, now, cluster });
  const { bridge, token } = money.settlement.contracts;
  const where = money.rpcUrl ?? opened.endpoints.map(({ name }) => name).join(', ');
  log.info({ chain: where, bridge, usdc: token }, 'settlement chain configured');
  return { ...money, holder };
}

/** Runs the settlement while this process holds its lease. */
export async function holdSettlement(
  money: HeldSettlement | undefined,
  lease: Lease,
): Promise<Held | undefined> {
  if (money === undefined) return undefined;
  const { holder, settlement } = money;
  return lease.hold(
    SETTLEMENT_LEASE,
    (term) => {
      holder.enter(term);
      return settlement.start(term);
    },
    () => settlement.stop(),
  );
}

type ReturningReplica = Replica & Pick<LocalReplica, 'tick'>;

/**
 * Returns the withdrawals that a venue without a settlement chain holds (R-withdraw). If the log
 * contains a bridge, nothing is returned, even if no chain is currently configured, because a
 * payout signed for this bridge may be in progress.
 */
export async function returnUnpayable(
  lease: Lease,
  replica: ReturningReplica,
  log: Logger,
): Promise<void> {
  if (unpayable(replica).length === 0) return;
  const holder = new HolderReplica(replica, SETTLEMENT_LEASE);
  const held = await lease.hold(
    SETTLEMENT_LEASE,
    async (term) => {
      holder.enter(term);
      // This applies every block written by other replicas, which may include one that opens a
      // bridge.
      await replica.tick();
      await returnAll(holder, log);
    },
    () => undefined,
  );
  // The lease is released, because another replica may have a chain and needs the lease to open the
  // bridge.
  await held.release();
}

async function returnAll(holder: HolderReplica, log: Logger): Promise<void> {
  try {
    for (const withdrawalId of unpayable(holder)) {
      await holder.propose({
        type: 'settleWithdrawal',
        withdrawalId,
        paid: false,
        error: NO_CHAIN,
      });
      log.warn({ withdrawalId }, 'withdrawal returned: no settlement chain can pay it');
    }
  } catch (error) {
    // Another process has taken over. It will return the remaining withdrawals, or pay them if it
    // has a chain.
    if (!(error instanceof TermOverError)) throw error;
  }
}

function unpayable({ state }: Pick<Replica, 'state'>): readonly number[] {
  if (bridgeView(state) !== undefined) return [];
  return openWithdrawals(state).withdrawals.map(({ withdrawalId }) => withdrawalId);
}
