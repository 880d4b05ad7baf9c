import { join } from 'node:path';
import { ChainClient, type ChainEndpoint, urlEndpoint } from '@oddlot/custody/chain';
import { checkKeyFiles } from '@oddlot/custody/check-key-files';
import { Relayer } from '@oddlot/custody/relayer';
import { createOperationsPort, readiness } from '@oddlot/host/health';
import type { Logger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { openInOrder } from '@oddlot/host/open-in-order';
import { hostText } from '@oddlot/host/operate';
import { FairQueue, type HttpPort, NO_PACE, PACE } from '@oddlot/host/ports';
import { NETWORKS } from '@oddlot/sdk';
import type { Hex } from 'viem';
import { claimAddress, pegRegistrar } from './transfers/venue-account.ts';
import { endTransfers, Relay, type RelayParts } from './transfers/relay.ts';
import {
  type ChainTerms,
  type RelayChain,
  type SettlementLine,
  termsOf,
} from './chains/relay-chain.ts';
import { RelayBook } from './book/relay-book.ts';
import { RelayService } from './port/relay-service.ts';
import { RelayFaucet } from './port/relay-faucet.ts';
import { BOOK_NAME, SEED_NAME, localSeed, readSeed, type RelayKeys } from './relay-keys.ts';
import { KeyError } from '@oddlot/custody/key-error';
import { createRelayServer } from './port/create-relay-server.ts';
import { SettingError } from '@oddlot/host/settings';
import type { ChainSetting, RelaySettings } from './relay-settings.ts';
import { relayStatus } from './port/relay-status.ts';
import { openSecondChain, type SecondChain } from './chains/second-chain.ts';
import { VenueApi, type VenueFacts, VenueUnavailableError } from './venue-api.ts';

export type RunningRelay = {
  readonly url: string;
  /** The account that holds the relay's money and signs for the relay. */
  readonly address: Hex;
  stop(): Promise<void>;
};

type RelayDependencies = {
  readonly log: Logger;
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onFatal: (error: unknown) => void;
};

const REQUEST_TIMEOUT_MS = 10_000;
const VENUE_RETRY_MS = 250;
const SECOND = 'base';
const LOCAL_CONFIRMATIONS = 1;

/**
 * Starts a relay with its settings, opening the data first and the port last. If startup fails, all
 * resources are released.
 */
export function openRelay(settings: RelaySettings, deps: RelayDependencies): Promise<RunningRelay> {
  return openInOrder(
    (opened) => openParts(settings, deps, opened),
    (err) => deps.log.error({ err }, 'cleanup after a failed start was incomplete'),
  );
}

async function openParts(
  settings: RelaySettings,
  deps: RelayDependencies,
  opened: AsyncDisposableStack,
): Promise<RunningRelay> {
  const { env, log, now, onFatal } = deps;
  const keys = settings.local ? localSeed(settings.data) : readSeed(settings.seed ?? '', env);
  const api = new VenueApi(settings.venue);
  const facts = await factsOf(api, log);
  assertName(settings, facts);
  const network = networkOf(settings, facts);
  const { data, local, seed } = settings;
  const isReal = network === 'mainnet';
  const places = local || seed === undefined ? {} : { seed: [seed] };
  for (const why of checkKeyFiles(places, { data, env, isReal })) log.warn(why);
  const file = join(data, BOOK_NAME);
  const book = new RelayBook(file);
  opened.defer(() => book.close());
  assertOwnBook(file, book, keys);
  const second = settings.local ? await openSecond(settings, { keys, now, onFatal }) : undefined;
  opened.defer(() => second?.close());
  const terms = termsOf(settings.chains, network).map((each) =>
    each.name === settings.settlementChain ? { ...each, chainId: facts.settlementChainId } : each,
  );
  const chains = openChains({ settings, facts, terms, second, keys, now, opened });
  const settlement = settlementOf(chains, settings, facts);
  endTransfers(settings.end, { book, chains, log, now });
  const { everyMs, expireMs, lateEveryMs } = settings;
  const parts = { book, keys, api, facts, chains, settlement, log, now, everyMs, lateEveryMs };
  const relay = new Relay(parts);
  const registerPegs = pegRegistrar({
    url: settings.operations,
    account: keys.key('float'),
    network: facts.network,
  });
  const openAddressesMax = settings.openAddresses;
  const service = new RelayService({
    ...parts,
    relay,
    terms,
    expireMs,
    openAddressesMax,
    registerPegs,
  });
  const metrics = new Metrics();
  const faucet = second && new RelayFaucet({ chain: second, name: SECOND, now });
  const queue = new FairQueue(settings.limits ? PACE : NO_PACE);
  const server = createRelayServer({ service, faucet, settings, now, log, metrics, queue });
  await relay.begin();
  await claimAddress({ account: relay.account, api, registerPegs, log });
  const stepping = new Stepping(settings.everyMs, async () => {
    await second?.step().catch(() => undefined);
    await relay.step();
  });
  // The steps stop after the port has been closed, because answering a pending request may take
  // another step.
  opened.defer(() => stepping.stop());
  const operations = operationsOf(settings, { ...parts, metrics, queue });
  opened.defer(() => operations?.drain());
  opened.defer(() => server.drain());
  const port = await server.listen(settings.port, settings.host);
  await operations?.listen(settings.opsPort ?? 0, settings.opsHost);
  stepping.start();
  return {
    url: `http://${hostText(settings.host)}:${port}`,
    address: keys.address('float'),
    stop: () => opened.disposeAsync(),
  };
}

/** Opens the operations port with metrics, balances and pending transfers. */
function operationsOf(
  { hostNames, opsPort }: RelaySettings,
  parts: RelayParts & { readonly metrics: Metrics; readonly queue: FairQueue },
): HttpPort | undefined {
  if (opsPort === undefined) return undefined;
  const { log, metrics, queue } = parts;
  const pages = { '/relay': () => relayStatus(parts) };
  return createOperationsPort({ hostNames, metrics, queue, log, pages, readiness: readiness([]) });
}

/** Waits until the venue responds, because it may start later than the relay. */
async function factsOf(api: VenueApi, log: Logger): Promise<VenueFacts> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await api.facts();
    } catch (error) {
      if (!(error instanceof VenueUnavailableError)) throw error;
      if (isFirst) log.warn({ why: error.message }, 'waiting for the venue');
      await new Promise((resolve) => setTimeout(resolve, VENUE_RETRY_MS));
    }
  }
}

/**
 * Ensures that the seed matches the journal. A different seed derives different addresses, so money
 * arriving at the recorded ones could not be moved.
 */
function assertOwnBook(file: string, book: RelayBook, keys: RelayKeys): void {
  for (const kind of ['deposit', 'peg'] as const) {
    const [first] = book.addresses(kind);
    if (first === undefined || keys.address(kind, first.index) === first.address) continue;
    throw new KeyError(
      `seed: ${file} was written with another seed: there, ${first.id} has the address ${first.address}, but this seed gives ${keys.address(kind, first.index)}. Restore the seed that the file was written with`,
    );
  }
}

/**
 * Ensures that signatures are for the configured venue, not for a different one that answers at its
 * address.
 */
function assertName({ serviceNetwork, venue }: RelaySettings, { network }: VenueFacts): void {
  if (serviceNetwork === undefined || serviceNetwork === network.serviceNetwork) return;
  throw new SettingError(
    `serviceNetwork: the network name of ${venue} is ${network.serviceNetwork}, not ${serviceNetwork}`,
  );
}

function networkOf({ local }: RelaySettings, { network }: VenueFacts): 'mainnet' | 'testnet' {
  const isReal = network.chainId === NETWORKS.mainnet.chainId;
  if (isReal && local)
    throw new SettingError('local: not allowed on mainnet, which has no test funds');
  return isReal ? 'mainnet' : 'testnet';
}

const SECOND_CHAIN_ID = 84_532;

function openSecond(
  { chainHost, chainPort, data, pageOrigins, trustedProxies, venue }: RelaySettings,
  deps: {
    readonly keys: RelayKeys;
    readonly now: () => number;
    readonly onFatal: (error: unknown) => void;
  },
): Promise<SecondChain> {
  const { keys, now, onFatal: onLost } = deps;
  return openSecondChain({
    directory: join(data, 'second'),
    seed: join(data, SEED_NAME),
    chainId: SECOND_CHAIN_ID,
    listen: { port: chainPort, host: chainHost, pageOrigins, trustedProxies },
    venue,
    keys,
    now,
    onLost,
  });
}

type ChainParts = {
  readonly settings: RelaySettings;
  readonly facts: VenueFacts;
  readonly terms: readonly ChainTerms[];
  readonly second: SecondChain | undefined;
  readonly keys: RelayKeys;
  readonly now: () => number;
  readonly opened: AsyncDisposableStack;
};

/** Returns the chains that have endpoints, by name. */
function openChains(parts: ChainParts): Map<string, RelayChain> {
  const { facts, keys, now, opened, second, settings, terms } = parts;
  const chains = new Map<string, RelayChain>();
  for (const each of terms) {
    const configured = settings.chains.find(({ name }) => name === each.name);
    const isSettlement = each.name === settings.settlementChain;
    const own = second !== undefined && each.name === SECOND ? second : undefined;
    const endpoints = own
      ? [own.endpoint]
      : endpointsOf(configured, isSettlement ? facts : undefined);
    const token =
      own?.token ?? (isSettlement ? facts.token : (configured?.token as Hex | undefined));
    if (endpoints.length === 0) continue;
    if (token === undefined) throw new SettingError(`chains.${each.name}.token: missing`);
    const { chainId } = each;
    if (chainId === undefined) throw new SettingError(`chains.${each.name}.chainId: missing`);
    const confirmations = configured?.confirmations ?? LOCAL_CONFIRMATIONS;
    const client = new ChainClient({ endpoints, chainId, confirmations });
    const file = join(settings.data, `sent-${each.name}.jsonl`);
    const relayer = new Relayer({ client, account: keys.key('float'), file, now });
    opened.defer(() => relayer.close());
    const { fromBlock } = configured ?? {};
    const rpcUrl = own?.url ?? (isSettlement ? facts.settlementRpcUrl : undefined);
    chains.set(each.name, { terms: each, client, relayer, token, rpcUrl, fromBlock });
  }
  return chains;
}

/**
 * Returns the configured endpoints. Those of the local settlement chain are read from the venue.
 */
function endpointsOf(
  configured: ChainSetting | undefined,
  facts: VenueFacts | undefined,
): readonly ChainEndpoint[] {
  const urls =
    configured === undefined || configured.rpc.length === 0
      ? facts?.settlementRpcUrl
      : configured.rpc;
  const list = urls === undefined ? [] : [urls].flat();
  return list.map((url) => urlEndpoint(url, REQUEST_TIMEOUT_MS));
}

function settlementOf(
  chains: ReadonlyMap<string, RelayChain>,
  { bridge, settlementChain }: RelaySettings,
  facts: VenueFacts,
): SettlementLine {
  const chain = chains.get(settlementChain);
  if (chain === undefined) {
    throw new SettingError(`chains: the settlement chain ${settlementChain} has no endpoint`);
  }
  if (bridge !== undefined && bridge !== facts.bridge) {
    throw new SettingError(`bridge: the venue uses ${facts.bridge}`);
  }
  return { ...chain, bridge: facts.bridge };
}

/** Runs steps one after another, with a pause in between. */
class Stepping {
  readonly #everyMs: number;
  readonly #step: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #current: Promise<void> = Promise.resolve();

  constructor(everyMs: number, step: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#step = step;
  }

  start(): void {
    this.#isRunning = true;
    this.#next();
  }

  /** Resolves when no step is in progress. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#current;
  }

  #next(): void {
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => {
      this.#current = this.#step().then(() => this.#next());
    }, this.#everyMs);
  }
}
