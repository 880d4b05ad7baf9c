import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

export const BOOKS_PER_SECOND = 50;

/**
 * A proxy between the page and a venue. A venue sends a book at most every 100 ms, so the proxy
 * sends copies of the last book with different sizes to reach the required rate.
 */
type BusyVenue = {
  readonly url: string;
  readonly books: () => number;
  close(): Promise<void>;
};

export async function busyVenue(venueUrl: string): Promise<BusyVenue> {
  const target = new URL(venueUrl);
  const server = createServer((asked, answer) => handOn(target, asked, answer));
  const sockets = new WebSocketServer({ server });
  const streams = new Set<BookStream>();
  let books = 0;
  sockets.on('connection', (page, asked) => {
    const venue = new WebSocket(`ws://${target.host}${asked.url ?? '/'}`);
    const early: string[] = [];
    page.on('message', (data) => {
      if (venue.readyState === WebSocket.OPEN) venue.send(String(data));
      else early.push(String(data));
    });
    venue.on('open', () => {
      for (const text of early) venue.send(text);
    });
    const bySub = new Map<number, BookStream>();
    venue.on('message', (data) => {
      const frame = JSON.parse(String(data)) as VenueFrame;
      const stream = streamOf(frame, page, bySub);
      if (stream === undefined) {
        page.send(String(data));
        return;
      }
      streams.add(stream);
      if (frame.channel !== 'l2Book') page.send(String(data));
      else if (take(stream, frame)) books++;
    });
    const end = (): void => {
      page.close();
      venue.close();
      for (const stream of bySub.values()) streams.delete(stream);
    };
    page.on('close', end);
    venue.on('close', end);
    venue.on('error', end);
  });
  // If the timer is late, the books that were missed are also sent.
  const startedMs = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * BOOKS_PER_SECOND);
    for (; turns < due; turns++) {
      for (const stream of streams) if (push(stream)) books++;
    }
  }, 5);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    books: () => books,
    async close() {
      clearInterval(timer);
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Level = { readonly px: string; readonly sz: string; readonly n: number };
type Book = { readonly levels: readonly (readonly Level[])[] };
type VenueFrame = {
  readonly channel?: string;
  readonly sub?: number;
  readonly seq?: number;
  readonly data?: unknown;
};

/**
 * A subscription to a book. Its messages are renumbered, because inserted messages also take
 * numbers.
 */
type BookStream = {
  readonly page: WebSocket;
  readonly sub: number;
  seq: number;
  isStarted: boolean;
  last: VenueFrame | undefined;
  round: number;
};

function streamOf(
  frame: VenueFrame,
  page: WebSocket,
  bySub: Map<number, BookStream>,
): BookStream | undefined {
  if (frame.channel === 'l2Book') return bySub.get(frame.sub ?? -1);
  if (frame.channel !== 'subscriptionResponse') return undefined;
  const { method, seq, sub, subscription } = frame.data as {
    readonly method: string;
    readonly sub: number;
    readonly seq: number;
    readonly subscription: { readonly type: string };
  };
  if (method !== 'subscribe' || subscription.type !== 'l2Book') return undefined;
  const made = { page, sub, seq, isStarted: false, last: undefined, round: 0 };
  bySub.set(sub, made);
  return made;
}

/** Holds a real book until the next turn sends it. The first book is sent immediately. */
function take(stream: BookStream, frame: VenueFrame): boolean {
  stream.last = frame;
  if (stream.isStarted) return false;
  stream.isStarted = true;
  stream.page.send(JSON.stringify({ ...frame, seq: stream.seq }));
  return true;
}

/** Sends the last book with different sizes at every level. */
function push(stream: BookStream): boolean {
  const { last, page } = stream;
  if (last === undefined || page.readyState !== WebSocket.OPEN) return false;
  stream.seq++;
  stream.round++;
  const { levels, ...rest } = last.data as Book;
  const changed = levels.map((side) =>
    side.map((level, index) => ({ ...level, sz: changedSize(level.sz, stream.round + index) })),
  );
  page.send(JSON.stringify({ ...last, seq: stream.seq, data: { ...rest, levels: changed } }));
  return true;
}

/** Returns a different size with the same number of decimals. */
function changedSize(size: string, round: number): string {
  const decimals = size.split('.')[1]?.length ?? 0;
  return (Number(size) * (1 + (round % 17) / 10)).toFixed(decimals);
}

function handOn(target: URL, asked: IncomingMessage, answer: ServerResponse): void {
  const { headers, method, url = '/' } = asked;
  const onwards = request(
    { host: target.hostname, port: target.port, path: url, method, headers },
    (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    },
  );
  onwards.on('error', () => answer.destroy());
  asked.pipe(onwards);
}
