import {
  type EdgeRequest,
  type Endpoint,
  HttpEdge,
  infoRefusal,
  infoReply,
  rateLimited,
  RateLimiter,
  refusal,
  type Reply,
  type StreamEndpoint,
  UnavailableError,
  type WireError,
} from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { descriptorLimit, publicConnectionsFor } from '@oddlot/host/operate';
import {
  clientIpFinder,
  clientKey,
  CONNECTION_LIMITS,
  isLoopback,
  isTrustedProxy,
  type Visitors,
  type FairQueue,
} from '@oddlot/host/ports';
import type { Answered, RelayService } from './relay-service.ts';
import type { RelayFaucet } from './relay-faucet.ts';
import type { RelaySettings } from '../relay-settings.ts';
import { VenueUnavailableError } from '../venue-api.ts';

type RelayServerOptions = {
  readonly service: RelayService;
  readonly faucet: RelayFaucet | undefined;
  readonly settings: Pick<
    RelaySettings,
    | 'limits'
    | 'requestsPerSecond'
    | 'openAddresses'
    | 'openAddressesPerClient'
    | 'expireMs'
    | 'trustedProxies'
    | 'local'
    | 'hostNames'
    | 'pageOrigins'
    | 'venue'
  >;
  readonly now: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly queue: FairQueue;
};

const PREFIX = '/api/v1/bridge';
const HTTP_NOT_FOUND = 404;

export function createRelayServer(options: RelayServerOptions): HttpEdge {
  const { service, faucet, log, metrics, queue, settings } = options;
  const { limits, requestsPerSecond, trustedProxies } = settings;
  const given = new GivenToClients(options);
  const get = (answer: (parameters: Iterable<readonly [string, string]>) => Reply) =>
    ({
      surface: 'info',
      refuse: infoRefusal,
      stream: async ({ parameters }) => answer(parameters),
    }) satisfies StreamEndpoint;
  const post = (handle: (request: EdgeRequest) => Promise<Reply>): Endpoint => {
    return { surface: 'info', refuse: infoRefusal, handle };
  };
  const perSecond = requestsPerSecond;
  const byPath: Record<string, Endpoint | StreamEndpoint> = {
    '/chains': get(() => infoReply(service.chains())),
    '/transfers': get((parameters) => replyOf(service.transfers(parameters))),
    '/deposit-address': post(given.counted((body) => service.depositAddress(body))),
    '/peg-address': post(given.counted((body) => service.pegAddress(body))),
    ...(faucet === undefined ? {} : { '/request-fund': post((asked) => faucet.grant(asked)) }),
  };
  const endpoints = Object.entries(byPath).map(([path, each]) => [`${PREFIX}${path}`, each]);
  return new HttpEdge({
    endpoints: Object.fromEntries(endpoints) as typeof byPath,
    limiter: new RateLimiter({
      limits: { info: perSecond, exchange: 1, explainSignature: 1, simulate: 1 },
      now: () => performance.now(),
      enabled: limits,
    }),
    clientIp: clientIpFinder(trustedProxies),
    isProxy: isTrustedProxy(trustedProxies),
    connectionLimits: {
      ...CONNECTION_LIMITS,
      connectionsMax: Math.min(
        CONNECTION_LIMITS.connectionsMax,
        publicConnectionsFor(descriptorLimit()),
      ),
    },
    queue,
    // A relay with test funds serves only its operator, so that pages from other origins cannot use
    // up its addresses.
    visitors: settings.local ? ownPages(settings) : 'any',
    notFound: infoRefusal(refusal('pathNotFound', [], {}, HTTP_NOT_FOUND)).body,
    log,
    metrics,
  });
}

/** Returns the addresses at which the venue serves its page. */
function ownPages({
  hostNames,
  pageOrigins,
  venue,
}: Pick<RelaySettings, 'hostNames' | 'pageOrigins' | 'venue'>): Visitors {
  const { port } = new URL(venue);
  const pages = {
    ports: new Set([Number(port === '' ? 80 : port)]),
    origins: new Set(pageOrigins),
  };
  // A proxy that serves the page can also forward requests to the relay, with the host name of the
  // page.
  const proxies = pageOrigins.map((origin) => new URL(origin).hostname);
  return { pages, names: new Set([...hostNames, ...proxies]) };
}

function replyOf<Data>(answer: Answered<Data>): Reply {
  return answer.ok ? infoReply(answer.data) : infoRefusal(answer.error);
}

/** Limits the number of unexpired addresses per client. Clients on this machine are not limited. */
class GivenToClients {
  readonly #options: RelayServerOptions;
  readonly #expire = new Map<string, number[]>();

  constructor(options: RelayServerOptions) {
    this.#options = options;
  }

  counted<Data>(
    give: (body: unknown) => Promise<Answered<Data>>,
  ): (request: EdgeRequest) => Promise<Reply> {
    return async (request) => {
      const tooMany = this.#tooMany(request);
      if (tooMany !== undefined) return { ...infoRefusal(tooMany), retryAfterSeconds: 60 };
      try {
        const answer = await give(request.body);
        if (answer.ok) this.#count(request);
        return replyOf(answer);
      } catch (error) {
        if (!(error instanceof VenueUnavailableError)) throw error;
        throw new UnavailableError('the venue is not responding', { cause: error });
      }
    };
  }

  #tooMany({ ip, isForwarded = false }: EdgeRequest): WireError | undefined {
    const { now, settings } = this.#options;
    if (!settings.limits || (!isForwarded && isLoopback(ip))) return undefined;
    const client = clientKey(ip);
    const open = (this.#expire.get(client) ?? []).filter((expireMs) => expireMs > now());
    if (open.length === 0) this.#expire.delete(client);
    else this.#expire.set(client, open);
    return open.length < settings.openAddressesPerClient ? undefined : rateLimited('info');
  }

  #count({ ip }: EdgeRequest): void {
    const { now, settings } = this.#options;
    const client = clientKey(ip);
    const open = this.#expire.get(client) ?? [];
    // A client with this many addresses is refused anyway, so there is no need to record more.
    if (open.length >= settings.openAddressesPerClient) return;
    this.#expire.set(client, [...open, now() + settings.expireMs]);
    if (this.#expire.size <= settings.openAddresses) return;
    // Removes clients whose addresses have all expired. When there are this many clients, that is
    // true of most of them.
    for (const [each, times] of this.#expire) {
      if (times.every((expireMs) => expireMs <= now())) this.#expire.delete(each);
    }
  }
}
