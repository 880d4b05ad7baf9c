import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { atLeast, atMost, noted, type Row } from '../report.ts';
import {
  type Measured,
  type PageScale,
  pageThread,
  percentile,
  type Stage,
  traced,
  type TraceEvent,
  visit,
  wait,
} from './stage.ts';

/**
 * Measures the terminal with book and tape side by side, while every level of the book changes 50
 * times per second.
 */

const BOOKS_PER_SECOND = 50;
const DRAW_MS_MAX = 4;
const WIDE = { width: 1920, height: 1080 };
/** The compiler needs this time, in milliseconds, to optimise the loops. */
const SETTLE_MS = 5_000;
const WATCHED_MS: Readonly<Record<PageScale, number>> = { full: 30_000, quick: 8_000 };

/**
 * Measures each drawing of the book from its canvas to its last text. The two halves of one frame
 * are added up.
 */
const WATCHING = `(() => {
  const frames = (globalThis.drawn = []);
  let frame, started, current;
  const isBook = (canvas) => canvas.getAttribute('role') === 'slider';
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (...args) {
    if (isBook(this)) {
      const at = document.timeline.currentTime;
      if (frame === undefined || frame.at !== at) frames.push((frame = { at, ms: 0, draws: 0 }));
      frame.draws++;
      current = this;
      started = performance.now();
    }
    return getContext.apply(this, args);
  };
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (...args) {
    fillText.apply(this, args);
    if (this.canvas !== current) return;
    const now = performance.now();
    frame.ms += now - started;
    started = now;
  };
})();`;

type Drawn = { readonly at: number; readonly ms: number; readonly draws: number };

export async function busyBook({ browser, scale, url }: Stage): Promise<Measured> {
  const busy = await busyVenue(url, { booksPerSecond: BOOKS_PER_SECOND });
  const visitor = await visit(browser, { script: WATCHING, viewport: WIDE });
  try {
    await visitor.page.goto(`${busy.url}/trade/BTC-USDC`);
    await visitor.page.getByRole('slider', { name: 'Bids' }).waitFor();
    await wait(SETTLE_MS);
    const booksBefore = busy.books();
    await visitor.page.evaluate('void (globalThis.drawn.length = 0)');
    const startedMs = performance.now();
    const events = await traced(visitor.instruments, () => wait(WATCHED_MS[scale]));
    const seconds = (performance.now() - startedMs) / 1_000;
    const drawn = await visitor.page.evaluate<readonly Drawn[]>('globalThis.drawn');
    const books = (busy.books() - booksBefore) / seconds;
    const frames = framesOf(pageThread(events));
    return { rows: rowsOf({ books, drawn, frames, seconds }), details: { books, drawn, frames } };
  } finally {
    await visitor.leave();
    await busy.close();
  }
}

type Frame = {
  /** CPU time of all callbacks of the frame (drawing, rendering and charts), in ms. */
  readonly scriptMs: number;
  /** CPU time including styles, layout and paint, in ms. */
  readonly wholeMs: number;
};

/** Combines callbacks into frames; the callbacks of one frame run in one task. */
function framesOf(events: readonly TraceEvent[]): readonly Frame[] {
  const tasks = events.filter(({ name }) => name.endsWith('RunTask'));
  const callbacks = events.filter(({ name }) => name === 'FireAnimationFrame');
  let next = 0;
  return tasks
    .toSorted((a, b) => a.ts - b.ts)
    .flatMap(({ dur = 0, tdur = 0, ts }) => {
      while (next < callbacks.length && callbacks[next]!.ts < ts) next++;
      let [script, count] = [0, 0];
      for (; next < callbacks.length && callbacks[next]!.ts < ts + dur; next++, count++) {
        script += callbacks[next]!.tdur ?? 0;
      }
      return count === 0 ? [] : [{ scriptMs: script / 1_000, wholeMs: tdur / 1_000 }];
    });
}

function rowsOf({
  books,
  drawn,
  frames,
  seconds,
}: {
  readonly books: number;
  readonly drawn: readonly Drawn[];
  readonly frames: readonly Frame[];
  readonly seconds: number;
}): readonly Row[] {
  const draws = drawn.map(({ ms }) => ms);
  const scripts = frames.map(({ scriptMs }) => scriptMs);
  const whole = frames.map(({ wholeMs }) => wholeMs);
  const rate = `${(drawn.length / seconds).toFixed(0)} frames a second with a drawing`;
  const busyMs = whole.reduce((sum, ms) => sum + ms, 0) / seconds;
  return [
    atLeast('book: changes sent', 'every level of 20 a side', books, 0.9 * BOOKS_PER_SECOND, '/s'),
    atMost('book: drawing a frame, median', rate, percentile(draws, 50), DRAW_MS_MAX, ' ms'),
    // An interruption by the operating system counts as part of the frame.
    noted('book: drawing a frame, p99', 'by the clock', percentile(draws, 99), ' ms'),
    atMost(
      'book: all scripts of a frame, median',
      'on the processor: book, tape, chart, React',
      percentile(scripts, 50),
      DRAW_MS_MAX,
      ' ms',
    ),
    atMost(
      'book: all scripts of a frame, p99',
      'on the processor, when the market strip, tables and ticket change too',
      percentile(scripts, 99),
      DRAW_MS_MAX,
      ' ms',
    ),
    noted(
      'book: whole frame, p99',
      `with styles, layout, paint; median ${percentile(whole, 50).toFixed(1)} ms`,
      percentile(whole, 99),
      ' ms',
    ),
    noted(
      'book: drawings a frame',
      'of the two halves',
      drawn.reduce((sum, one) => sum + one.draws, 0) / drawn.length,
      '',
    ),
    noted('book: frames, of a second', 'on the processor', busyMs, ' ms'),
  ];
}

/**
 * A proxy between the page and a venue. A venue sends a book at most every 100 ms, so the proxy
 * adds copies of the last book with other sizes until the required rate is reached.
 */
type BusyVenue = {
  readonly url: string;
  readonly books: () => number;
  close(): Promise<void>;
};

async function busyVenue(
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
  // If the timer is late, the missed books are sent too.
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
type VenueFrame = {
  readonly channel?: string;
  readonly sub?: number;
  readonly seq?: number;
  readonly data?: unknown;
};

/**
 * A subscription to a book. Its messages are renumbered, because inserted messages also have
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
