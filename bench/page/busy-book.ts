import { atLeast, atMost, noted, type Row } from '../report.ts';
import { BOOKS_PER_SECOND, busyVenue } from './busy-venue.ts';
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
 * Measures the terminal with the book and the trades side by side, while every level of the book
 * changes 50 times per second.
 */

const DRAW_MS_MAX = 4;
const WIDE = { width: 1920, height: 1080 };
/** The time, in milliseconds, that the compiler needs to optimise the loops. */
const SETTLE_MS = 5_000;
const WATCHED_MS: Readonly<Record<PageScale, number>> = { full: 30_000, quick: 8_000 };

/**
 * Measures each time the book is drawn, from its canvas to its last text. The two halves drawn in
 * one frame are added together.
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
  const busy = await busyVenue(url);
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
  /** The CPU time of all callbacks in the frame (drawing, rendering and charts), in ms. */
  readonly scriptMs: number;
  /** The CPU time, including styles, layout and paint, in ms. */
  readonly wholeMs: number;
};

/** Combines callbacks into frames; all callbacks in a frame run in one task. */
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
