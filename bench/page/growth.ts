import type { Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { atLeast, atMost, noted, type Row, show } from '../report.ts';
import { BOOKS_PER_SECOND, busyVenue } from './busy-venue.ts';
import {
  type Held,
  heldBy,
  type Measured,
  openTestAccount,
  type PageScale,
  slope,
  type Stage,
  visit,
  wait,
  workOf,
} from './stage.ts';

/**
 * Measures how the terminal's memory grows while it stays open with a position, simulated traders
 * are trading, and every level of the book changes 50 times per second.
 */

const MINUTE_MS = 60_000;
/** The times of the measurements, in minutes. The first measurement is the reference. */
const LOOKS: Readonly<Record<PageScale, readonly number[]>> = {
  full: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  quick: [0.2, 0.35, 0.5, 0.65],
};
/**
 * The lists of trades, candles and fills grow to their limits in the first few minutes, which is
 * not a leak.
 */
const FILLED_AFTER: Readonly<Record<PageScale, number>> = { full: 3, quick: 0.2 };
const KILOBYTES_A_MINUTE_MAX = 64;
/**
 * The limit on the ratio of the last measurement to the first. Short runs only cover the time in
 * which the lists fill.
 */
const WHOLE_GROWTH_MAX: Readonly<Record<PageScale, number>> = { full: 1.05, quick: Infinity };
/**
 * The list of trades is still growing in the first three minutes, so short runs have no limit on
 * nodes.
 */
const NODES_A_MINUTE_MAX: Readonly<Record<PageScale, number>> = { full: 10, quick: Infinity };
const LISTENERS_A_MINUTE_MAX: Readonly<Record<PageScale, number>> = { full: 2, quick: Infinity };

type Look = Held & { readonly minute: number };

export async function tenMinutes({ browser, scale, url }: Stage): Promise<Measured> {
  const busy = await busyVenue(url);
  const visitor = await visit(browser);
  try {
    await holdSomething(visitor.page, busy.url);
    const [startedMs, booksBefore] = [performance.now(), busy.books()];
    const before = await workOf(visitor);
    const looks: Look[] = [];
    for (const due of LOOKS[scale]) {
      await wait(Math.max(0, startedMs + due * MINUTE_MS - performance.now()));
      // The actual time is recorded, because on a busy machine the previous measurement may take
      // longer than planned.
      const minute = Number(((performance.now() - startedMs) / MINUTE_MS).toFixed(2));
      const look = { minute, ...(await heldBy(visitor)) };
      looks.push(look);
      console.error(`  minute ${minute}: ${megabytes(look.heapBytes)} MB, ${look.nodes} nodes`);
    }
    const after = await workOf(visitor);
    const seconds = (performance.now() - startedMs) / 1_000;
    const busyMs = (((after['TaskDuration'] ?? 0) - (before['TaskDuration'] ?? 0)) / seconds) * 1e3;
    const books = (busy.books() - booksBefore) / seconds;
    return {
      rows: rowsOf(looks, scale, { books, busyMs }),
      details: { looks, before, after, books },
    };
  } finally {
    await visitor.leave();
    await busy.close();
  }
}

async function holdSomething(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/trade/BTC-USDC`);
  await openTestAccount(page);
  await page.getByRole('radio', { name: 'Market', exact: true }).click();
  await page.getByRole('textbox', { name: 'Size' }).fill('0.01');
  await page.getByRole('button', { name: 'Buy 0.01 BTC at market' }).click();
  await page
    .getByRole('row', { name: /BTC-USDC/ })
    .first()
    .waitFor();
}

function rowsOf(
  looks: readonly Look[],
  scale: PageScale,
  { books, busyMs }: { readonly books: number; readonly busyMs: number },
): readonly Row[] {
  const filledAfter = FILLED_AFTER[scale];
  const later = looks.filter(({ minute }) => minute >= filledAfter);
  const growth = (key: keyof Held): number =>
    slope(later.map((look) => ({ x: look.minute, y: look[key] })));
  const course = (key: keyof Held, show: (value: number) => string | number): string =>
    looks.map((look) => show(look[key])).join(' ');
  const [first, last] = [looks[0]!, looks.at(-1)!];
  const times = (key: keyof Held): number => last[key] / first[key];
  return [
    atLeast('open: changes sent', 'every level of 20 a side', books, 0.9 * BOOKS_PER_SECOND, '/s'),
    atMost(
      `open: heap of the program, minute ${last.minute} against ${first.minute}`,
      `${megabytes(first.programBytes)} → ${megabytes(last.programBytes)} MB`,
      times('programBytes'),
      WHOLE_GROWTH_MAX[scale],
    ),
    noted(
      `open: whole heap, minute ${last.minute} against ${first.minute}`,
      `with what is compiled, ${megabytes(first.heapBytes)} → ${megabytes(last.heapBytes)} MB`,
      times('heapBytes'),
    ),
    atMost(
      `open: heap of the program, growth from minute ${filledAfter}`,
      `MB: ${course('programBytes', megabytes)}`,
      growth('programBytes') / 1_024,
      KILOBYTES_A_MINUTE_MAX,
      ' KB/min',
    ),
    noted(
      'open: whole heap, growth',
      `with what is compiled, MB: ${course('heapBytes', megabytes)}`,
      growth('heapBytes') / 1_024,
      ' KB/min',
    ),
    atMost(
      'open: DOM nodes, growth',
      course('nodes', (value) => value),
      growth('nodes'),
      NODES_A_MINUTE_MAX[scale],
      '/min',
    ),
    atMost(
      'open: listeners, growth',
      course('listeners', (value) => value),
      growth('listeners'),
      LISTENERS_A_MINUTE_MAX[scale],
      '/min',
    ),
    noted('open: the page works, of a second', 'by the clock, looks included', busyMs, ' ms'),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(2);
}

/**
 * Compares visiting one market with visiting twenty: the memory and subscriptions that remain after
 * a market is left.
 */

const MARKETS: Readonly<Record<PageScale, number>> = { full: 20, quick: 8 };
/**
 * A market's subscriptions end three seconds after the user leaves it. This wait, in milliseconds,
 * is longer.
 */
const LINGER_MS = 5_000;
const GROWTH_MAX = 1.1;
const ORACLE_EVERY_MS = 5_000;
/** The books take a long time to fill, because bots handle one market after another. */
const BOOKS_MS_MAX = 60_000;

export async function manyMarkets({ admin, browser, scale, url }: Stage): Promise<Measured> {
  const names = await list(admin, MARKETS[scale]);
  await feed(admin);
  const feeding = setInterval(() => void feed(admin).catch(() => undefined), ORACLE_EVERY_MS);
  const visitor = await visit(browser);
  const { page } = visitor;
  try {
    await booksStand(admin);
    const streams = watchStreams(page);
    await page.goto(`${url}/trade/${names[0]}`);
    await openTestAccount(page);
    // Both markets are visited once, so that all code has been loaded and compiled before the first
    // measurement.
    for (const name of [names[1]!, names[0]!]) await stay(page, name);
    await wait(LINGER_MS);
    const one = await heldBy(visitor);
    const streamsOfOne = streams.size;
    const tour = async (): Promise<Held> => {
      for (const name of [...names.slice(1), names[0]!]) await stay(page, name);
      await wait(LINGER_MS);
      return heldBy(visitor);
    };
    const many = await tour();
    // The code was compiled during the first tour, so the second tour shows how much memory each
    // market adds.
    const again = scale === 'full' ? await tour() : undefined;
    const counts = [streamsOfOne, streams.size] as const;
    const rows = tourRowsOf(names.length, { one, many, again }, counts);
    return { rows, details: { one, many, again, streams: counts, left: [...streams] } };
  } finally {
    clearInterval(feeding);
    await visitor.leave();
  }
}

/** Waits until the market's book and chart are shown. */
async function stay(page: Page, name: string): Promise<void> {
  await goTo(page, name);
  await page.getByRole('slider', { name: 'Bids' }).waitFor();
  await page.locator('main canvas').nth(3).waitFor();
  await wait(1_500);
}

async function booksStand(admin: Client): Promise<void> {
  const { universe } = await admin.info.perpMeta();
  const deadline = Date.now() + BOOKS_MS_MAX;
  for (const { index } of universe) {
    let levels = 0;
    while (levels === 0 && Date.now() < deadline) {
      const book = await admin.info.l2Book({ coin: String(index) });
      levels = Math.min(...book.levels.map((side) => side.length));
      if (levels === 0) await wait(250);
    }
  }
}

const NAMES: Readonly<Record<keyof Held, string>> = {
  programBytes: 'heap of the program',
  heapBytes: 'whole heap',
  nodes: 'nodes',
  listeners: 'listeners',
};

type Tours = { readonly one: Held; readonly many: Held; readonly again: Held | undefined };

function tourRowsOf(
  count: number,
  { again, many, one }: Tours,
  [before, after]: readonly [number, number],
): readonly Row[] {
  const ratio = (name: keyof Held, unit: string, scaled = 1): Row =>
    atMost(
      `markets visited: ${NAMES[name]}, ${count} against 1`,
      `${show(one[name] / scaled)} → ${show(many[name] / scaled)}${unit}`,
      many[name] / one[name],
      GROWTH_MAX,
    );
  return [
    ratio('programBytes', ' MB', 2 ** 20),
    noted(
      'markets visited: whole heap',
      `with what is compiled, ${show(one.heapBytes / 2 ** 20)} → ${show(many.heapBytes / 2 ** 20)} MB`,
      many.heapBytes / one.heapBytes,
    ),
    ratio('nodes', ''),
    ratio('listeners', ''),
    atMost(
      'markets visited: subscriptions more than with 1',
      `${before} → ${after}`,
      after - before,
      0,
      '',
    ),
    ...(again === undefined
      ? []
      : [
          noted(
            'markets visited: heap of the program that a second tour adds, a market',
            `${show(again.programBytes / 2 ** 20)} MB after it`,
            (again.programBytes - many.programBytes) / 1_024 / count,
            ' KB',
          ),
        ]),
  ];
}

/** Navigates without reloading the page, as its links do. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '/trade/${name}')`);
  await page.evaluate(`dispatchEvent(new PopStateEvent('popstate', { state: history.state }))`);
  await page
    .getByRole('button', { name: new RegExp(name) })
    .first()
    .waitFor();
}

/** Returns the page's open subscriptions, based on the messages it sends. */
function watchStreams(page: Page): Set<string> {
  const open = new Set<string>();
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const { method, subscription } = JSON.parse(String(payload)) as {
        readonly method: string;
        readonly subscription?: unknown;
      };
      const key = JSON.stringify(subscription);
      if (method === 'subscribe') open.add(key);
      if (method === 'unsubscribe') open.delete(key);
    });
  });
  return open;
}

/** Lists perps. Bots trade a perp once it has its first price. */
async function list(admin: Client, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `M${index + 1}`);
  for (const base of names) {
    const reply = await admin.exchange.venueAdmin.registerPerp(
      {
        name: `${base}-USDC`,
        baseCurrency: base,
        quoteCurrency: 'USDC',
        perpType: 'linear',
        szDecimals: 2,
        priceTick: '0.01',
        bookTicks: ['0.01', '0.1', '1'],
        maxLimitOrderSize: '10000',
        maxMarketOrderSize: '10000',
        takerFeeRate: '0.00045',
        makerFeeRate: '0.00015',
        onlyIsolated: false,
        impactNotional: '6000',
        marginTable: {
          tiers: [{ tier: 1, minSize: '0', maxSize: '100000', maxLeverage: 20, mmr: '0.025' }],
        },
      },
      { confirm: 'executed' },
    );
    if (reply.status !== 'executed') throw new Error(`${base} was not listed`);
  }
  return names.map((base) => `${base}-USDC`);
}

let step = 0;

async function feed(admin: Client): Promise<void> {
  step++;
  const { universe } = await admin.info.perpMeta();
  const prices = universe
    .filter(({ name }) => /^M\d+-USDC$/.test(name))
    .map(({ index }) => ({
      instrumentId: index,
      oraclePx: (100 + ((index * 7 + step) % 10) / 10).toFixed(2),
      externalPerpPx: null,
    }));
  await admin.exchange.venueAdmin.pushOracle({ time: Date.now(), prices });
}
