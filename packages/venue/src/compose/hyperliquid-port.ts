import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { hasAccount, perpDefinitions, type State } from '@oddlot/engine';
import type { TradeTape } from '@oddlot/history/trade-tape';
import type { EdgeRequest, Endpoint, Reply, TextEndpoint } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { SettingError } from '@oddlot/host/settings';
import type { HyperliquidPort, HyperliquidPortOptions } from '@oddlot/hyperliquid';
import { type Network, NETWORKS } from '@oddlot/protocol';
import { assetContext } from '@oddlot/translate/event-to-stream';
import { allOpenOrders } from '@oddlot/translate/info/open-orders';
import { perpUniverse } from '@oddlot/translate/info/perp-meta';
import { WebSocket } from 'ws';
import type { Config } from '../config.ts';

/** Starts the port for Hyperliquid clients, if it is configured. */

type VenueAccess = HyperliquidPortOptions['venue'];

export type HyperliquidParts = {
  readonly metrics: Metrics;
  readonly replica: { readonly state: State };
  readonly tape: Pick<TradeTape, 'last'>;
  readonly info: Endpoint;
  readonly submit: TextEndpoint;
  readonly faucet: Endpoint | undefined;
  /** Handles the WebSocket handshake of a client. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, ip: string) => void;
};

const LOOPBACK = '127.0.0.1';

/**
 * Refuses to open the port for a venue with its own network name. A Hyperliquid signature does not
 * name a venue, so it can be accepted only by a venue whose signatures are shared by all venues
 * with test funds.
 */
export function refuseHyperliquid({ hyperliquid }: Config, { serviceNetwork }: Network): void {
  if (hyperliquid === undefined || serviceNetwork === NETWORKS.testnet.serviceNetwork) return;
  throw new SettingError(
    `hyperliquid: not allowed with the network name ${serviceNetwork}, because Hyperliquid ` +
      `signatures do not name a venue. Only a venue with the name ` +
      `${NETWORKS.testnet.serviceNetwork} can use it`,
  );
}

/**
 * Opens the port, or returns undefined if it is not configured. The package is loaded only if it is
 * needed.
 */
export async function openHyperliquidPort(
  { hyperliquid, hyperliquidFaucet: creditsQueried, limits }: Config,
  parts: HyperliquidParts,
  log: Logger,
): Promise<HyperliquidPort | undefined> {
  if (hyperliquid === undefined) return undefined;
  const { startHyperliquidPort } = await import('@oddlot/hyperliquid');
  const { metrics } = parts;
  const venue = accessTo(parts);
  const options = { port: hyperliquid, log, metrics, venue, hasLimits: limits, creditsQueried };
  const port = await startHyperliquidPort(options);
  log.warn(
    { url: port.url },
    'Hyperliquid API enabled: signatures for it are also valid on the testnet of Hyperliquid. ' +
      'Do not use keys that hold funds on any network',
  );
  return port;
}

const RECENT_TRADES = 50;

function accessTo({ faucet, info, replica, submit, tape, upgrade }: HyperliquidParts): VenueAccess {
  return {
    info: async (query, ip) => info.handle(internal(query, ip)),
    submit: async (text, ip) => submit.handleText({ text, ip, bytes: Buffer.byteLength(text) }),
    openStream: (path, ip, listener) => openStream(upgrade, { path, ip }, listener),
    requestFunds: faucet && (async (user): Promise<Reply> => faucet.handle(internal({ user }))),
    height: () => replica.state.height,
    timeMs: () => replica.state.timeMs,
    hasAccount: (user) => hasAccount(replica.state, user),
    perps: () => perpUniverse(replica.state),
    contexts: () => perpDefinitions(replica.state).map((perp) => assetContext(replica.state, perp)),
    openOrders: (user) => allOpenOrders(replica.state, user),
    recentTrades: (instrumentId) => tape.last(instrumentId, RECENT_TRADES),
  };
}

function internal(body: Readonly<Record<string, unknown>>, ip = LOOPBACK): EdgeRequest {
  return { text: JSON.stringify(body), body, ip };
}

/** The module is not imported, for the reason given in `host/src/ports/http-port.ts`. */
const { createServer } = process.getBuiltinModule('node:http');

/**
 * Opens a WebSocket connection within the process, subject to the same limits as an external one.
 */
function openStream(
  upgrade: HyperliquidParts['upgrade'],
  { ip, path }: { readonly ip: string; readonly path: string },
  { onClose, onFrame, onOpen }: Parameters<VenueAccess['openStream']>[2],
): ReturnType<VenueAccess['openStream']> {
  const [near, far] = duplexPair();
  const server = createServer();
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head, ip));
  server.emit('connection', far);
  const client = new WebSocket(`ws://venue${path}`, {
    perMessageDeflate: false,
    createConnection: () => near as Socket,
  });
  client.on('open', onOpen);
  client.on('message', (data) => onFrame(String(data)));
  // Every error is followed by a close event, which has the details.
  client.on('error', () => undefined);
  client.on('close', (code, reason) => onClose(code, reason.toString()));
  return { send: (text) => client.send(text), close: () => client.close() };
}
