import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isForeign, type Visitors } from '@oddlot/host/ports';
import type { TestVenue } from '../test-venue.ts';
import {
  CONTROL_CALLS,
  ControlFault,
  type Controlled,
  isFields,
  VenueClock,
} from './control-calls.ts';

/**
 * The controls listen only on this address, because any client that can reach them has full control
 * over the venue.
 */
const LOOPBACK = '127.0.0.1';
const PROGRAMS_ONLY: Visitors = { pages: 'none', names: new Set() };
const BODY_BYTES_MAX = 1024 * 1024;

/** The controls of a venue, for programs in other processes. */
export type Controls = {
  readonly url: string;
  stop(): Promise<void>;
};

export type ControlsOptions = {
  /** With 0, the system chooses a free port. */
  readonly port?: number;
  /** True if the clock is held from the start. By default, it follows the machine's clock. */
  readonly isHeld?: boolean;
  /** A hook called when the venue has failed and no longer works. */
  readonly onFatal?: (error: unknown) => void;
};

/**
 * Opens the controls of a venue on a loopback port. They are for tests only: no key is required,
 * and there are no limits.
 */
export async function serveControls(
  venue: TestVenue,
  { isHeld = false, onFatal = () => undefined, port = 0 }: ControlsOptions = {},
): Promise<Controls> {
  const clock = new VenueClock(venue, { isHeld, onFatal });
  const controlled = { venue, clock, snapshots: new Map() };
  const server = createServer((request, response) => void answer(controlled, request, response));
  try {
    await listening(server, port);
  } catch (error) {
    await clock.stop();
    throw error;
  }
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await clock.stop();
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
}

async function answer(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { body, status } = await outcomeOf(controlled, request);
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

type Outcome = { readonly status: number; readonly body: object };

async function outcomeOf(controlled: Controlled, request: IncomingMessage): Promise<Outcome> {
  const refused = refusalOf(request);
  if (refused !== undefined) return refused;
  try {
    if (request.method === 'GET') return { status: 200, body: ok(controlled) };
    const call = CONTROL_CALLS[request.url ?? '']!;
    const fields = JSON.parse((await textOf(request)) || '{}') as unknown;
    if (!isFields(fields)) return refusal(400, 'the body must be a JSON object');
    const data = await controlled.clock.inTurn(() => call(controlled, fields));
    return { status: 200, body: ok(controlled, data) };
  } catch (error) {
    return refusal(isAlive(controlled) ? 400 : 500, (error as Error).message);
  }
}

/**
 * Returns true if the venue still works, which means that the caller's request caused the error.
 */
function isAlive({ venue }: Controlled): boolean {
  try {
    return venue.head.height > 0;
  } catch {
    return false;
  }
}

/**
 * Rejects browser pages, because otherwise any page in a developer's browser could send requests.
 */
function refusalOf({ headers, method, url = '' }: IncomingMessage): Outcome | undefined {
  if (isForeign(headers, PROGRAMS_ONLY)) {
    return refusal(
      403,
      'the controls are only for programs on this machine. Use 127.0.0.1, and leave "origin" out',
    );
  }
  if (method === 'GET' && url === '/') return undefined;
  if (!Object.hasOwn(CONTROL_CALLS, url)) {
    return refusal(404, `Unknown call ${url}. Use one of ${Object.keys(CONTROL_CALLS).join(', ')}`);
  }
  return method === 'POST' ? undefined : refusal(405, `${url} requires POST`);
}

function refusal(status: number, message: string): Outcome {
  return { status, body: { status: 'err', message } };
}

function ok({ clock, venue }: Controlled, data?: unknown): object {
  const { hash, height } = venue.head;
  const content = data === undefined ? {} : { data };
  return { status: 'ok', now: venue.now, isHeld: clock.isHeld, height, hash, ...content };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX)
      throw new ControlFault(`the body must have at most ${BODY_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
