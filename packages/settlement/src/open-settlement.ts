import { join } from 'node:path';
import {
  type BridgeContracts,
  LOCAL_PAYOUT_GAS,
  localContracts,
} from '@oddlot/custody/bridge-contract';
import {
  ChainClient,
  type ChainEndpoint,
  ChainUnavailableError,
  urlEndpoint,
} from '@oddlot/custody/chain';
import { KeyError } from '@oddlot/custody/key-error';
import { existingLocalKeys, type LocalKeys } from '@oddlot/custody/local-keys';
import { readKey } from '@oddlot/custody/read-key';
import { Relayer } from '@oddlot/custody/relayer';
import {
  type BridgeDomain,
  keyValidator,
  remoteValidator,
  type Validator,
} from '@oddlot/custody/signing';
import type { State } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import { LIMITS } from '@oddlot/protocol';
import { address } from '@oddlot/units';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { HolderLine } from '@oddlot/cluster/holder-line';
import type { RecordStream } from '@oddlot/cluster/shared-records';
import type { Term } from '@oddlot/replica/lease';
import { DepositWatcher } from './deposit-watcher.ts';
import { FaucetBacking } from './faucet-backing.ts';
import { ownerOf, startOwnChain } from './own-chain.ts';
import { PayoutWorker } from './payout/payout-worker.ts';
import { PermitDeposits } from './permit-deposits.ts';
import { Settlement, type SettlingReplica } from './settlement.ts';
import { type SettlementRecords, SharedSettlement } from './shared-settlement.ts';
import { VitalsWatch } from './money-side.ts';

export type SettlementSettings = {
  /** Either `local` for the venue's own chain, or the URLs of endpoints. */
  readonly chain: 'local' | readonly string[];
  readonly chainId: number;
  readonly confirmations: number;
  readonly everyMs: number;
  /** The location of the keys of a local chain that runs in another process. */
  readonly chainKeys?: string | undefined;
  readonly data: string;
  /**
   * The interface and port of the local chain (port 0 selects a free port), and the clients that
   * may access it.
   */
  readonly host: string;
  readonly port: number;
  readonly trustedProxies: readonly string[];
  readonly pageOrigins: readonly string[];
  readonly contracts?: BridgeContracts | undefined;
  readonly fromBlock: number;
  readonly formerBridges?: readonly string[];
  /**
   * The location of the key that sends permits and payouts. If it is absent, neither is available.
   */
  readonly relayerKey?: string | undefined;
  readonly accepted?: Hex | undefined;
  /**
   * The maximum fee per unit of gas, the maximum tip within that fee, and the time after which the
   * venue raises its bid.
   */
  readonly maxFeeWei?: bigint | undefined;
  readonly maxTipWei?: bigint | undefined;
  readonly bumpAfterMs?: number | undefined;
  readonly validators?: ((domain: BridgeDomain) => readonly Validator[]) | undefined;
  /** The minimum interval between grants of test funds to one address on the chain itself. */
  readonly fundEveryMs?: number | undefined;
  /**
   * How long a token may refuse a destination before the payout is cancelled and returned, in
   * milliseconds.
   */
  readonly payoutPatienceMs: number;
};

export type SettlementDependencies = {
  readonly replica: SettlingReplica;
  /**
   * The resources shared by the replicas of a cluster; undefined if the venue is a single process.
   */
  readonly cluster?: SharedParts | undefined;
  readonly log: Logger;
  readonly now: () => number;
};

type SharedParts = { readonly records: RecordStream; readonly line: HolderLine };

export type ChainDependencies = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLost: (error: Error) => void;
};

export type OpenedSettlement = {
  readonly settlement: Settlement | SharedSettlement;
  /** The URL for wallets, set for the local chain only. */
  readonly rpcUrl: string | undefined;
  readonly keys: LocalKeys | undefined;
  /** Allows the venue's page on this port to query the local chain. */
  allowPage(port: number): void;
};

const REQUEST_TIMEOUT_MS = 10_000;

export type OpenedChain = {
  readonly endpoints: readonly ChainEndpoint[];
  readonly contracts: BridgeContracts;
  readonly relayerKey: Hex | undefined;
  readonly keys: LocalKeys | undefined;
  readonly rpcUrl: string | undefined;
  readonly allowPage: (port: number) => void;
  readonly close: () => Promise<void>;
};

/**
 * Starts the local chain, or connects to the configured one. It does not read the venue's state
 * yet.
 */
export async function openChain(
  settings: SettlementSettings,
  deps: ChainDependencies,
): Promise<OpenedChain> {
  return settings.chain === 'local'
    ? await openLocal(settings, folderOf(settings), deps.onLost)
    : openRemote(settings, deps);
}

/** Creates the venue's workers for its chain, without starting them. */
export function openSettlement(
  settings: SettlementSettings,
  opened: OpenedChain,
  deps: SettlementDependencies,
): OpenedSettlement {
  const { allowPage, keys, rpcUrl } = opened;
  const { cluster } = deps;
  const settlement =
    cluster === undefined
      ? createSettlement(settings, opened, deps, {
          records: recordFiles(settings),
          close: opened.close,
        })
      : openShared(settings, opened, deps, cluster);
  return { settlement, rpcUrl, keys, allowPage };
}

/**
 * Opens a settlement that only one replica runs at a time, using records shared by all replicas.
 */
function openShared(
  settings: SettlementSettings,
  opened: OpenedChain,
  deps: SettlementDependencies,
  { line, records }: SharedParts,
): SharedSettlement {
  const { contracts, keys, relayerKey } = opened;
  const { log, now } = deps;
  return new SharedSettlement({
    client: clientOf(settings, opened.endpoints),
    contracts,
    hasRelayer: relayerKey !== undefined,
    fundEveryMs: keys === undefined ? undefined : settings.fundEveryMs,
    records,
    line,
    now,
    log,
    open: (term, taken) =>
      createSettlement(settings, opened, deps, {
        records: taken,
        close: async () => undefined,
        term,
      }),
  });
}

function recordFiles(settings: SettlementSettings): SettlementRecords {
  const file = (name: string): string => join(folderOf(settings), name);
  return {
    payouts: file('payouts.jsonl'),
    watched: file('watched.json'),
    relayer: file('relayer.jsonl'),
    minter: file('minter.jsonl'),
  };
}

type Work = {
  readonly records: SettlementRecords;
  readonly close: () => Promise<void>;
  /** The term in which the settlement may act; undefined without other processes. */
  readonly term?: Term;
};

function createSettlement(
  settings: SettlementSettings,
  opened: OpenedChain,
  deps: SettlementDependencies,
  { close, records, term }: Work,
): Settlement {
  const { log, now, replica } = deps;
  const { contracts, keys, relayerKey } = opened;
  const { everyMs, fromBlock } = settings;
  const endpoints = opened.endpoints.map((each) => (term ? sendingIn(term, each) : each));
  const client = clientOf(settings, endpoints);
  const relayerOf = (key: Hex | undefined, name: 'relayer' | 'minter'): Relayer | undefined => {
    if (key === undefined) return undefined;
    const account = privateKeyToAccount(key);
    const pace = { maxFee: settings.maxFeeWei, bumpAfterMs: settings.bumpAfterMs };
    return new Relayer({ client, account, file: records[name], now, ...pace });
  };
  const relayer = relayerOf(relayerKey, 'relayer');
  const minter = relayerOf(keys?.minter, 'minter');
  const operators = [relayerKey, keys?.minter, keys?.guardian, ...(keys?.validators ?? [])];
  const watcher = new DepositWatcher({
    client,
    contracts,
    fromBlock,
    rules: {
      minMicroUsdc: LIMITS.depositMicroMin,
      isMinter: minter !== undefined,
      formerBridges: new Set((settings.formerBridges ?? []).map((each) => address(each))),
      operators: new Set(operators.flatMap((key) => (key === undefined ? [] : [ownerOf(key)]))),
    },
    file: records.watched,
    state: () => replica.state,
    accepted: settings.accepted,
    onDamaged: (why) => log.warn(why),
    propose: (command) => replica.propose(command),
  });
  const state = (): State => replica.state;
  const isStopped = (): boolean => watcher.status.foreign !== undefined;
  const parts = { contracts, keys, client, relayer, file: records.payouts };
  const payouts = openPayouts(settings, { log, now, replica }, parts);
  return new Settlement({
    client,
    contracts,
    watcher,
    replica,
    log,
    everyMs,
    relayer,
    payouts,
    vitals: new VitalsWatch({ client, contracts, relayer: relayer?.address, now }),
    permits: relayer && new PermitDeposits({ client, relayer, contracts, now, isStopped }),
    minter,
    backing: minter && new FaucetBacking({ state, watcher, minter, contracts }),
    close,
  });
}

function clientOf(
  { chainId, confirmations, maxTipWei: maxPriorityFee }: SettlementSettings,
  endpoints: readonly ChainEndpoint[],
): ChainClient {
  return new ChainClient({ endpoints, chainId, confirmations, maxPriorityFee });
}

function openPayouts(
  settings: SettlementSettings,
  { log, now, replica }: Omit<SettlementDependencies, 'cluster'>,
  parts: Pick<OpenedChain, 'contracts' | 'keys'> & {
    readonly client: ChainClient;
    readonly relayer: Relayer | undefined;
    readonly file: SettlementRecords['payouts'];
  },
): PayoutWorker {
  const { client, contracts, file, keys, relayer } = parts;
  const payouts = new PayoutWorker({
    client,
    contracts,
    fromBlock: settings.fromBlock,
    file,
    state: () => replica.state,
    propose: (command) => replica.propose(command),
    now,
    relayer,
    validators: validatorsOf(settings, keys, {
      chainId: settings.chainId,
      bridge: contracts.bridge,
    }),
    gasEach: keys === undefined ? undefined : LOCAL_PAYOUT_GAS,
    patienceMs: settings.payoutPatienceMs,
    retryMs: settings.everyMs,
  });
  if (payouts.damaged > 0) {
    const what = { file: 'settlement/payouts.jsonl', lines: payouts.damaged };
    log.warn(what, 'damaged lines found; the file was copied, and the chain is being read again');
  }
  return payouts;
}

/**
 * Returns the local chain's validators, whose keys the venue has; for any other chain, the
 * configured ones.
 */
function validatorsOf(
  { validators }: SettlementSettings,
  keys: LocalKeys | undefined,
  domain: BridgeDomain,
): readonly Validator[] {
  const own = keys?.validators.map((key) => keyValidator(key, domain)) ?? [];
  return [...own, ...(validators?.(domain) ?? [])];
}

async function openLocal(
  { chainId, data, host, pageOrigins, port, trustedProxies }: SettlementSettings,
  folder: string,
  onLost: (error: Error) => void,
): Promise<OpenedChain> {
  const { allowPage, close, contracts, endpoint, keys, url } = await startOwnChain({
    chainId,
    keys: folder,
    directory: join(data, 'chain'),
    listen: { port, host, pageOrigins, trustedProxies },
    onLost,
  });
  const relayerKey = keys.relayer;
  return { endpoints: [endpoint], contracts, relayerKey, keys, rpcUrl: url, allowPage, close };
}

function openRemote(settings: SettlementSettings, { env }: ChainDependencies): OpenedChain {
  const { chain, chainKeys, relayerKey } = settings;
  const keys = chainKeys === undefined ? undefined : existingLocalKeys(chainKeys, 'chainKeys');
  const contracts = keys === undefined ? settings.contracts : localContracts(keys);
  if (contracts === undefined) {
    throw new KeyError('bridgeContract, usdcContract: both are required if the chain is not local');
  }
  const named = relayerKey === undefined ? undefined : readKey(relayerKey, 'relayerKey', env);
  return {
    endpoints: [...chain].map((url) => urlEndpoint(url, REQUEST_TIMEOUT_MS)),
    contracts,
    relayerKey: keys?.relayer ?? named,
    keys,
    rpcUrl: undefined,
    allowPage: () => undefined,
    close: async () => undefined,
  };
}

function folderOf({ data }: SettlementSettings): string {
  return join(data, 'settlement');
}

/** Returns the configured validators, which are keys in this process or in other processes. */
export function configuredValidators(
  named: {
    readonly validatorKeys: readonly string[];
    readonly validators: readonly string[];
    /** The key whose address identifies the venue to remote validators. */
    readonly relayerKey?: string | undefined;
  },
  env: Readonly<Record<string, string | undefined>>,
): (domain: BridgeDomain) => readonly Validator[] {
  const keys = named.validatorKeys.map((setting) => readKey(setting, 'validatorKeys', env));
  const { relayerKey, validators } = named;
  const isAsking = relayerKey !== undefined && validators.length > 0;
  const as = isAsking ? privateKeyToAccount(readKey(relayerKey, 'relayerKey', env)) : undefined;
  return (domain) => [
    ...keys.map((key) => keyValidator(key, domain)),
    ...validators.map((url) => remoteValidator(url, domain, { as })),
  ];
}

/**
 * Returns an endpoint that refuses to send transactions after the term has ended. This is the last
 * check before a transaction leaves the process. It is not a fence, because a process can be
 * suspended after passing it. The actual fences are the records, which are written first, and the
 * bridge, which accepts each number only once. Commands are fenced by their term in the log
 * (R-terms).
 */
export function sendingIn(term: Term, { name, request }: ChainEndpoint): ChainEndpoint {
  return {
    name,
    request: async (method, params) => {
      if (method === 'eth_sendRawTransaction' && term.isOver()) {
        throw new ChainUnavailableError('settlement now runs on another replica');
      }
      return request(method, params);
    },
  };
}
