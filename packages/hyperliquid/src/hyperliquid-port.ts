import {
  type AnyEndpoint,
  type EdgeRequest,
  HttpEdge,
  RateLimiter,
  type Reply,
  type TextRequest,
} from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { clientIpFinder } from '@oddlot/host/ports';
import { Address, LIMITS, type WireError } from '@oddlot/protocol';
import * as z from 'zod';
import { Coins } from './coins.ts';
import { createQueryCredits } from './credit-queried.ts';
import { answerExchange } from './exchange/answer-exchange.ts';
import { answerInfo } from './info/answer-info.ts';
import { readFields } from './info/read-query.ts';
import { RefusedError } from './refused-error.ts';
import { type Requester, sentenceOf, type VenueAccess } from './venue-access.ts';
import { SocketEdge } from './ws/socket-edge.ts';
import type { SocketServices } from './ws/socket-session.ts';

/**
 * Options for the port on which a venue with test funds serves Hyperliquid's API. The port listens
 * on the loopback interface only, because signatures for it are also valid on Hyperliquid's
 * testnet.
 */
export type HyperliquidPortOptions = {
  /** The port number; 0 selects a free port. */
  readonly port: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly venue: VenueAccess;
  /** True if the requests and connections of each client are limited. */
  readonly hasLimits: boolean;
  /** True if a new account is credited with test funds when its balance is queried. */
  readonly creditsQueried: boolean;
};

export type HyperliquidPort = {
  readonly url: string;
  /** Stops accepting clients and completes pending requests. */
  drain(): Promise<void>;
};

const LOOPBACK = '127.0.0.1';
/**
 * Each connection can open up to two sessions on each of the venue's endpoints, so only half as
 * many connections are allowed.
 */
const CONNECTIONS_MAX = LIMITS.connectionsMax / 2;
const NOT_FOUND = refusalOf(
  404,
  'Not found. The paths are /info, /exchange, /faucet and /ws.',
).body;

/** Starts the port. The promise resolves when the port is listening. */
export async function startHyperliquidPort(
  options: HyperliquidPortOptions,
): Promise<HyperliquidPort> {
  const { creditsQueried, hasLimits, log, metrics, venue } = options;
  const limiter = createLimiter(hasLimits);
  const services = servicesOf(venue, limiter, creditsQueried);
  const connectionsMax = hasLimits ? CONNECTIONS_MAX : Infinity;
  const sockets = new SocketEdge({ ...services, venue, log, connectionsMax });
  const clientIp = clientIpFinder([]);
  const http = new HttpEdge({
    endpoints: endpointsOf(venue, services),
    limiter,
    log,
    metrics,
    clientIp,
    notFound: NOT_FOUND,
    visitors: { pages: 'none', names: new Set() },
    upgrade: (request, socket, head) => {
      sockets.upgrade(request, socket, head, clientIp(request.socket.remoteAddress, undefined));
    },
  });
  const listening = await http.listen(options.port, LOOPBACK);
  return {
    url: `http://${LOOPBACK}:${listening}`,
    async drain() {
      sockets.close();
      await http.drain();
    },
  };
}

function createLimiter(enabled: boolean): RateLimiter {
  const { exchangePerSecond, explainPerSecond, infoPerSecond, simulatePerSecond } = LIMITS;
  return new RateLimiter({
    limits: {
      info: infoPerSecond,
      exchange: exchangePerSecond,
      explainSignature: explainPerSecond,
      simulate: simulatePerSecond,
    },
    now: () => performance.now(),
    enabled,
  });
}

function servicesOf(
  venue: VenueAccess,
  limiter: RateLimiter,
  creditsQueried: boolean,
): SocketServices {
  let known: { readonly height: number; readonly coins: Coins } | undefined;
  const coins = (): Coins => {
    const height = venue.height();
    if (known?.height !== height) known = { height, coins: new Coins(venue.perps()) };
    return known.coins;
  };
  const credit = creditsQueried ? createQueryCredits(venue) : undefined;
  return {
    coins,
    limiter,
    async info(requester, body) {
      await credit?.(body);
      return answerInfo(requester, coins, body);
    },
    exchange: answerExchange,
  };
}

function endpointsOf(
  venue: VenueAccess,
  { exchange, info }: SocketServices,
): Readonly<Record<string, AnyEndpoint>> {
  const refuse = ({ details, httpStatus, message }: WireError): Reply =>
    refusalOf(httpStatus, sentenceOf({ details, message }));
  const requesterOf = ({ ip }: TextRequest): Requester => ({ venue, ip });
  return {
    '/info': {
      surface: 'info',
      refuse,
      handle: (request) => orRefusal(() => info(requesterOf(request), request.body)),
    },
    '/exchange': {
      surface: 'exchange',
      refuse,
      handleText: (request) => orRefusal(() => exchange(requesterOf(request), request.text)),
    },
    '/faucet': {
      surface: 'info',
      refuse,
      handle: ({ body }: EdgeRequest) => orRefusal(() => fund(venue, body)),
    },
  };
}

async function orRefusal(answer: () => Promise<unknown>): Promise<Reply> {
  try {
    return { status: 200, body: JSON.stringify(await answer()) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message, retryAfterSeconds, status } = error;
    const reply = refusalOf(status < 400 ? 422 : status, message);
    return retryAfterSeconds === undefined ? reply : { ...reply, retryAfterSeconds };
  }
}

/** Builds a refusal. Clients of Hyperliquid read `code` and `msg` from its body. */
function refusalOf(code: number, msg: string): Reply {
  return { status: code, body: JSON.stringify({ code, msg }) };
}

const Funded = z.object({ user: Address });

async function fund(venue: VenueAccess, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { user } = readFields(Funded, body);
  if (venue.requestFunds === undefined) throw new RefusedError('This venue has no faucet.', 403);
  const reply = await venue.requestFunds(user);
  const envelope = JSON.parse(reply.body) as { success: boolean; data: unknown; message: string };
  if (envelope.success) return envelope.data;
  throw new RefusedError(sentenceOf(envelope), reply.status, reply.retryAfterSeconds);
}
