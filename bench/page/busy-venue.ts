import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/**
 * A venue sends a book at most every 100 ms. This stands between the page and a real venue, hands everything on,
 * and puts as many more books between the real ones as the bar asks for: the last one with other sizes.
 */
type BusyVenue = {
  readonly url: string;
  /** Books that were sent to the page so far. */
  readonly books: () => number;
  close(): Promise<void>;
};

export async function busyVenue(
  venueUrl: string,
  { booksPerSecond }: { readonly booksPerSecond: number },
): Promise<BusyVenue> {
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
      const told = JSON.parse(String(data)) as Frame;
      const stream = streamOf(told, page, bySub);
      if (stream === undefined) {
        page.send(String(data));
        return;
      }
      streams.add(stream);
      if (told.channel !== 'l2Book') page.send(String(data));
      else if (take(stream, told)) books++;
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
  // A timer that comes late on a busy machine makes up for it.
  const startedMs = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * booksPerSecond);
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
type Frame = {
  readonly channel?: string;
  readonly sub?: number;
  readonly seq?: number;
  readonly data?: unknown;
};

/** A subscription of a book, renumbered: what is put in has to be counted too. */
type BookStream = {
  readonly page: WebSocket;
  readonly sub: number;
  seq: number;
  isStarted: boolean;
  last: Frame | undefined;
  round: number;
};

/** The stream that a frame begins or belongs to. */
function streamOf(
  frame: Frame,
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

/** A real book: kept until the next turn, which sends it. The first one is sent at once. */
function take(stream: BookStream, frame: Frame): boolean {
  stream.last = frame;
  if (stream.isStarted) return false;
  stream.isStarted = true;
  stream.page.send(JSON.stringify({ ...frame, seq: stream.seq }));
  return true;
}

/** Sends the last book with other sizes on every level. */
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

/** Another size of as many decimals. */
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
