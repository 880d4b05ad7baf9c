import { createECDH } from 'node:crypto';
import { join } from 'node:path';
import {
  type BridgeContracts,
  deployLocalContracts,
  LOCAL_PAYOUT_GAS,
} from '@oddlot/custody/bridge-contract';
import { ChainClient, type ChainEndpoint, localEndpoint, urlEndpoint } from '@oddlot/custody/chain';
import { KeyError } from '@oddlot/custody/key-error';
import { localKeys, type LocalKeys, readKey } from '@oddlot/custody/keys';
import { Relayer } from '@oddlot/custody/relayer';
import { type BridgeDomain, keyValidator, type Validator } from '@oddlot/custody/signing';
import { startChainThread } from '@oddlot/devchain';
import type { State } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import { addressOf, LIMITS } from '@oddlot/protocol';
import { type Address, address } from '@oddlot/units';
import { type Hex, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Replica } from '../replica/replica.ts';
import { DepositWatcher } from './deposit-watcher.ts';
import { FaucetBacking } from './faucet-backing.ts';
import { PayoutWorker } from './payout/payout-worker.ts';
import { PermitDeposits } from './permit-deposits.ts';
import { Settlement } from './settlement.ts';
import { VitalsWatch } from './vitals.ts';

/** What the operator says about the settlement chain. */
export type SettlementSettings = {
  /** `local`, or the URLs of endpoints. */
  readonly chain: 'local' | readonly string[];
  readonly chainId: number;
  readonly confirmations: number;
  readonly everyMs: number;
  /** The data folder. */
  readonly data: string;
  /** Of the local chain: interface and port, where 0 takes any free one; who may ask, and for whom. */
  readonly host: string;
  readonly port: number;
  readonly trustedProxies: readonly string[];
  readonly pageOrigins: readonly string[];
  /** Of a chain that is not local. */
  readonly contracts?: BridgeContracts | undefined;
  readonly fromBlock: number;
  readonly formerBridges?: readonly string[];
  /** Where the key is that sends permits and payouts; without it neither is served. */
  readonly relayerKey?: string | undefined;
  /** The block of a reorganisation that the operator has accepted. */
  readonly accepted?: Hex | undefined;
  /** What the venue's transactions offer at most for a unit of gas, of it as a tip, and when they offer more. */
  readonly maxFeeWei?: bigint | undefined;
  readonly maxTipWei?: bigint | undefined;
  readonly bumpAfterMs?: number | undefined;
  /** Who signs payouts for a bridge that is not local. */
  readonly validators?: ((domain: BridgeDomain) => readonly Validator[]) | undefined;
  /** How long a token may refuse a destination before a payout is cancelled and returned. */
  readonly payoutPatienceMs: number;
};

export type SettlementDependencies = {
  readonly replica: Replica;
  readonly log: Logger;
  readonly now: () => number;
};

export type ChainDependencies = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The thread of the local chain ended by itself. */
  readonly onLost: (error: Error) => void;
};

export type OpenedSettlement = {
  readonly settlement: Settlement;
  /** What wallets may use; the local chain's own. */
  readonly rpcUrl: string | undefined;
  /** Of the local chain alone. */
  readonly keys: LocalKeys | undefined;
  /** The venue's page is served on this port: it may ask the local chain. */
  allowPage(port: number): void;
};

const REQUEST_TIMEOUT_MS = 10_000;
/** Play money for gas, more than is ever used. */
const ALLOCATION = parseEther('1000000000');

/** The chain that is configured, and the keys for it. */
export type OpenedChain = {
  readonly endpoints: readonly ChainEndpoint[];
  readonly contracts: BridgeContracts;
  readonly relayerKey: Hex | undefined;
  readonly keys: LocalKeys | undefined;
  readonly rpcUrl: string | undefined;
  readonly allowPage: (port: number) => void;
  readonly close: () => Promise<void>;
};

/** Starts the local chain, or finds the one that is named. It knows nothing of the venue's state yet. */
export async function openChain(
  settings: SettlementSettings,
  deps: ChainDependencies,
): Promise<OpenedChain> {
  return settings.chain === 'local'
    ? await openLocal(settings, folderOf(settings), deps.onLost)
    : openRemote(settings, deps);
}

/** What the venue does with its chain. Nothing runs yet. */
export function openSettlement(
  settings: SettlementSettings,
  opened: OpenedChain,
  deps: SettlementDependencies,
): OpenedSettlement {
  const { log, now, replica } = deps;
  const folder = folderOf(settings);
  const { contracts, endpoints, keys, relayerKey, rpcUrl } = opened;
  const { chainId, confirmations, everyMs, fromBlock } = settings;
  const maxPriorityFee = settings.maxTipWei;
  const client = new ChainClient({ endpoints, chainId, confirmations, maxPriorityFee });
  const relayerOf = (key: Hex | undefined, name: string): Relayer | undefined => {
    if (key === undefined) return undefined;
    const account = privateKeyToAccount(key);
    const pace = { maxFee: settings.maxFeeWei, bumpAfterMs: settings.bumpAfterMs };
    return new Relayer({ client, account, file: join(folder, `${name}.jsonl`), now, ...pace });
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
    file: join(folder, 'watched.json'),
    state: () => replica.state,
    accepted: settings.accepted,
    onDamaged: (why) => log.warn(why),
    propose: (command) => replica.propose(command),
  });
  const state = (): State => replica.state;
  const isStopped = (): boolean => watcher.status.foreign !== undefined;
  const payouts = openPayouts(settings, deps, { ...opened, client, relayer });
  const settlement = new Settlement({
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
    close: opened.close,
  });
  return { settlement, rpcUrl, keys, allowPage: opened.allowPage };
}

/** Pays what the engine has open. */
function openPayouts(
  settings: SettlementSettings,
  { log, now, replica }: SettlementDependencies,
  parts: Pick<OpenedChain, 'contracts' | 'keys'> & {
    readonly client: ChainClient;
    readonly relayer: Relayer | undefined;
  },
): PayoutWorker {
  const { client, contracts, keys, relayer } = parts;
  const file = 'settlement/payouts.jsonl';
  const payouts = new PayoutWorker({
    client,
    contracts,
    fromBlock: settings.fromBlock,
    file: join(settings.data, file),
    state: () => replica.state,
    propose: (command) => replica.propose(command),
    now,
    relayer,
    validators: validatorsOf(settings, keys, {
      chainId: settings.chainId,
      bridge: contracts.bridge,
    }),
    gasEach: settings.chain === 'local' ? LOCAL_PAYOUT_GAS : undefined,
    patienceMs: settings.payoutPatienceMs,
    retryMs: settings.everyMs,
  });
  if (payouts.damaged > 0) {
    const what = { file, lines: payouts.damaged };
    log.warn(what, 'damaged lines: a copy is kept beside it, the chain is asked again');
  }
  return payouts;
}

/** Those of the local chain, whose keys are the venue's own, or those that were named. */
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
  const keys = localKeys(folder, join(data, 'chain', 'chain.log'));
  const rich = [keys.minter, keys.relayer, keys.guardian].map((key) => ownerOf(key) as Hex);
  const chain = await startChainThread(
    {
      directory: join(data, 'chain'),
      chainId,
      allocations: Object.fromEntries(rich.map((each) => [each, ALLOCATION])),
      listen: { port, host, pageOrigins, trustedProxies },
    },
    onLost,
  );
  // Not by the port, where strangers ask: money does not wait behind them.
  const endpoint = localEndpoint(new URL(chain.url).host, chain.request);
  const contracts = await deployLocalContracts(endpoint, keys, chainId);
  return {
    endpoints: [endpoint],
    contracts,
    relayerKey: keys.relayer,
    keys,
    rpcUrl: chain.url,
    allowPage: (page) => chain.allowPage(page),
    close: () => chain.close(),
  };
}

function openRemote(settings: SettlementSettings, { env }: ChainDependencies): OpenedChain {
  const { chain, contracts, relayerKey } = settings;
  if (contracts === undefined) {
    throw new KeyError('bridgeContract, usdcContract: a chain that is not local needs both');
  }
  return {
    endpoints: [...chain].map((url) => urlEndpoint(url, REQUEST_TIMEOUT_MS)),
    contracts,
    relayerKey: relayerKey === undefined ? undefined : readKey(relayerKey, 'relayerKey', env),
    keys: undefined,
    rpcUrl: undefined,
    allowPage: () => undefined,
    close: async () => undefined,
  };
}

function folderOf({ data }: SettlementSettings): string {
  return join(data, 'settlement');
}

/** By Node itself: viem's curve takes a tenth of a second to get ready, and the local chain waits for these. */
function ownerOf(key: Hex): Address {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(Buffer.from(key.slice(2), 'hex'));
  return addressOf(curve.getPublicKey());
}
