import { systemTime } from '@oddlot/host/clock';
import { createOperationsPort, type Readiness, readiness } from '@oddlot/host/health';
import { HttpEdge, RateLimiter, type TextEndpoint } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { clientIpFinder, forwardedFor, type HttpPort, isTrustedProxy } from '@oddlot/host/ports';
import { type Network, refusal, type WireError } from '@oddlot/protocol';
import { type Config, hasBots, hasFaucet, settlementChainIdOf } from '../config.ts';
import { type Budgets, budgetsOf } from '@oddlot/api/budgets';
import { createEndpoints, type Endpoints } from '@oddlot/api/http/create-endpoints';
import type { RecoverPool } from '@oddlot/api/recover-pool';
import { WsEdge } from '@oddlot/api/ws/ws-edge';
import type { DiskWatch } from '../supervise/disk-watch.ts';
import { clusterStatus, observeCluster } from '../supervise/cluster-status.ts';
import { LogPages, snapshotNow } from '../supervise/operations-endpoints.ts';
import { observeReserves, observeSettlement } from '../supervise/observe-settlement.ts';
import { observeVenue } from '../supervise/observe-venue.ts';
import type { Shown } from '../supervise/open-shown.ts';
import { checksOf, venueHealth } from '../supervise/venue-health.ts';
import type { HyperliquidParts } from './hyperliquid-port.ts';
import type { Core } from './open-core.ts';
import { simulatedAccounts } from '../bots/simulated-accounts.ts';
import { simulatedPast } from '../oracle/simulated-prices.ts';
import type { OpenedSettlement } from '@oddlot/settlement/open-settlement';
import type { InfoSettings } from '@oddlot/translate/answer-info';
import type { ReplicaList } from '@oddlot/translate/info/info-context';
import { StreamLostError } from '@oddlot/cluster/stream-error';
import { HistoryAwayError } from '@oddlot/history/history';
import { LaterReleaseError } from '@oddlot/replica/replica';

/**
 * How long a stopping replica still responds to requests on existing connections, in milliseconds.
 */
const LINGER_MS = 1_000;

type EdgeParts = {
  readonly core: Core;
  readonly shown: Shown;
  readonly disk: DiskWatch;
  readonly pool: RecoverPool;
  readonly network: Network;
  readonly otherNetworks: readonly Network[];
  readonly log: Logger;
  readonly metrics: Metrics;
};

export type Edges = {
  readonly http: HttpEdge;
  readonly sockets: WsEdge;
  readonly operations: HttpPort;
  readonly exchange: TextEndpoint;
  /** The venue components used by the port for Hyperliquid clients. */
  readonly hyperliquid: HyperliquidParts;
  /** Makes the health checks report that this process is about to stop. */
  stopping(): void;
  /**
   * Stops accepting clients, completes pending requests, and disconnects all clients. The clients
   * receive the addresses of the other replicas, if there are any.
   */
  drain(): Promise<void>;
};

/** Creates the servers for public HTTP, public WebSockets, and operations. */
export function createEdges(config: Config, parts: EdgeParts): Edges {
  const { core, disk, log, metrics, pool, shown } = parts;
  const { indexer, clock, clockWatch, cluster, money, receipts, relay, replica } = core;
  const budgets = budgetsOf(config);
  const sockets = createSockets(core, budgets, (request) => http.post(request));
  replica.onPublish((block) => sockets.onBlock(block));
  let isStopping = false;
  const isReady = readiness(
    checksOf({ indexer, clock, clockWatch, cluster, disk, money, replica }, () => isStopping),
  );
  const limiter = createLimiter(config);
  const endpoints = endpointsOf(config, parts, { budgets, isReady, limiter, sockets });
  const http = createHttp(config, parts, { budgets, endpoints, limiter, sockets });
  // The page is built once the API has started, so that trading is not delayed.
  http.server.once('listening', () => startBuilds(config, shown));
  observeVenue(metrics, {
    replica,
    receipts,
    indexer,
    pool,
    http,
    exports: endpoints.exports,
    sockets,
    disk,
    data: config.data,
    clock,
    wallMs: systemTime.wallMs,
  });
  const settlement = money?.settlement;
  observeSettlement(metrics, settlement, () => replica.state);
  observeReserves(metrics, core.reserves, () => replica.state);
  observeCluster(metrics, cluster, () => replica.head);
  const logPages = logPagesOf(config, core);
  const operations = createOperationsPort({
    hostNames: config.hostNames,
    queue: budgets.queue,
    metrics,
    readiness: isReady,
    log,
    pages: {
      ...(settlement && {
        '/settlement': () => settlement.status ?? { isElsewhere: true, ...settlement.brief },
      }),
      ...(cluster && { '/cluster': () => clusterStatus(cluster, replica.head) }),
    },
    downloads: logPages === undefined ? {} : { '/log': logPages.answer },
    posts: {
      '/pegs': (body) => relay.registerPegs(body),
      '/snapshot': () => snapshotNow(indexer),
    },
  });
  return {
    http,
    sockets,
    exchange: endpoints.exchange,
    hyperliquid: hyperliquidParts({ ...core, metrics }, endpoints, sockets),
    operations,
    stopping() {
      isStopping = true;
      shown.page?.stop();
      shown.documents.stop();
      void logPages?.close();
    },
    async drain() {
      const away = cluster === undefined ? undefined : 'elsewhere';
      await Promise.all([http.drain(), sockets.drain(away)]);
    },
  };
}

/**
 * The delay before the documentation is built, in milliseconds, so that the page is built first. A
 * request for the documentation starts the build immediately.
 */
const BUILD_DOCUMENTATION_AFTER_MS = 5_000;

function startBuilds({ web }: Config, { documents, page }: Shown): void {
  page?.start();
  if (web) setTimeout(() => documents.start(), BUILD_DOCUMENTATION_AFTER_MS).unref();
}

function hyperliquidParts(
  { metrics, replica, tape }: Pick<HyperliquidParts, 'metrics' | 'replica' | 'tape'>,
  { faucet, hyperliquid: submit, info }: Endpoints,
  sockets: WsEdge,
): HyperliquidParts {
  const upgrade: HyperliquidParts['upgrade'] = (request, socket, head, ip) =>
    sockets.handleUpgrade(request, socket, head, ip);
  return { metrics, replica, tape, info, submit, faucet, upgrade };
}

function logPagesOf({ data, serveLog }: Config, { journal, replica }: Core): LogPages | undefined {
  if (!serveLog) return undefined;
  return new LogPages({ data, firstSeq: () => journal.firstSeq, head: () => replica.head });
}

function createSockets(
  { indexer, explorer, markets, recent, replica, tape }: Core,
  { queue, work, wsLimits }: Budgets,
  post: HttpEdge['post'],
): WsEdge {
  return new WsEdge({
    replica,
    models: { markets, tape, explorer, recent, history: indexer },
    limits: wsLimits,
    work,
    queue,
    post,
  });
}

function endpointsOf(
  config: Config,
  { core, network, otherNetworks, pool, shown }: EdgeParts,
  {
    budgets,
    isReady,
    limiter,
    sockets,
  }: {
    readonly budgets: Budgets;
    readonly isReady: Readiness;
    readonly limiter: RateLimiter;
    readonly sockets: WsEdge;
  },
): Endpoints {
  const { indexer, clock, faucet, guard, markets, money } = core;
  const { multiSigChanges, receipts, relay, replica, reserves } = core;
  return createEndpoints({
    replica,
    receipts,
    markets,
    history: indexer,
    multiSigChanges,
    reserves,
    faucet,
    guard,
    pool,
    network,
    otherNetworks,
    limiter,
    work: budgets.work,
    queue: budgets.queue,
    blocks: sockets.blocks,
    now: () => clock.nowMs(),
    confirmTimeoutMs: config.confirmTimeoutMs,
    settings: infoSettings(config, money, relay, core.cluster?.replicas),
    permits: money?.settlement.permits,
    payouts: money?.settlement.payouts,
    cursors: shown.cursors,
    onRefused: shown.onRefused,
    hasLimits: config.limits,
    health: () => venueHealth({ indexer, clock, isReady, money, replica, sockets }),
    connections: (ip) => ({
      ws: sockets.connections('ws', ip).open,
      apiWs: sockets.connections('apiWs', ip).open,
      wsRtds: sockets.connections('wsRtds', ip).open,
    }),
  });
}

function createHttp(
  config: Config,
  { core, log, metrics, shown }: EdgeParts,
  {
    budgets,
    endpoints,
    limiter,
    sockets,
  }: {
    readonly budgets: Budgets;
    readonly endpoints: Endpoints;
    readonly limiter: RateLimiter;
    readonly sockets: WsEdge;
  },
): HttpEdge {
  const clientIp = clientIpFinder(config.trustedProxies);
  return new HttpEdge({
    endpoints: endpoints.byPath,
    limiter,
    clientIp,
    visitors: 'any',
    isProxy: isTrustedProxy(config.trustedProxies),
    connectionLimits: budgets.connectionLimits,
    bodyLimits: budgets.bodyLimits,
    answerLimits: budgets.answerLimits,
    work: budgets.work,
    queue: budgets.queue,
    // Another replica could accept late requests, but clients have to switch to it first.
    lingerMs: core.cluster === undefined ? 0 : LINGER_MS,
    log,
    metrics,
    documents: shown.documents,
    page: shown.page,
    ageMs: () => core.clock.nowMs() - core.replica.head.timeMs,
    downRefusal,
    upgrade: (request, socket, head) => {
      const ip = clientIp(request.socket.remoteAddress, forwardedFor(request));
      sockets.handleUpgrade(request, socket, head, ip);
    },
  });
}

function createLimiter(config: Config): RateLimiter {
  return new RateLimiter({
    limits: {
      info: config.infoPerSecond,
      exchange: config.exchangePerSecond,
      explainSignature: config.explainPerSecond,
      simulate: config.simulatePerSecond,
    },
    now: () => performance.now(),
    enabled: config.limits,
  });
}

const UNSET_ADDRESS = '0x0000000000000000000000000000000000000000';

/**
 * Returns the configuration that clients can query. Without a settlement chain, the addresses of
 * its contracts are unset.
 */
function infoSettings(
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
    /** The relay starts after the venue, and its address is not known before that. */
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

/**
 * Part of an error message: the action may still be executed, because its block was already being
 * written to the log.
 */
const MAY_EXECUTE =
  'the action was being written to the log and may still execute: query actionStatus, ' +
  'then send the same request again';

/**
 * Returns the refusal for a request that can succeed later or on another replica, or undefined for
 * an internal error.
 */
export function downRefusal(error: unknown): WireError | undefined {
  if (error instanceof StreamLostError)
    return refusal('logLost', [error.from], { why: MAY_EXECUTE });
  if (error instanceof LaterReleaseError)
    return refusal('rulesAnnounced', [error.rules, error.own], { why: MAY_EXECUTE });
  if (error instanceof HistoryAwayError)
    return refusal('unavailable', [], { why: 'the history database is unavailable' });
  return undefined;
}
