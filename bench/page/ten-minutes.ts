import type { Page } from 'playwright-core';
import { atMost, noted, type Row } from '../report.ts';
import type { Measured, PageScale, Stage } from './stage.ts';
import { slope } from './statistics.ts';
import { heldBy, openTestAccount, visit, wait, workOf, type Held } from './visitor.ts';

/** The terminal left open with an account that holds something, while simulated traders trade. */

const MINUTE_MS = 60_000;
/** When it is looked at, in minutes; the first time is the measure of the rest. */
const LOOKS: Readonly<Record<PageScale, readonly number[]>> = {
  full: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  quick: [0.2, 0.35, 0.5, 0.65],
};
/** Lists that fill up to their bound in the first minutes are no leak: trades, candles, fills. */
const FILLED_AFTER: Readonly<Record<PageScale, number>> = { full: 3, quick: 0.2 };
const KILOBYTES_A_MINUTE_MAX = 64;
/** In less than three minutes the tape is still filling up: then nothing is said of nodes. */
const NODES_A_MINUTE_MAX: Readonly<Record<PageScale, number>> = { full: 10, quick: Infinity };
const LISTENERS_A_MINUTE_MAX: Readonly<Record<PageScale, number>> = { full: 2, quick: Infinity };

type Look = Held & { readonly minute: number };

export async function tenMinutes({ browser, scale, url }: Stage): Promise<Measured> {
  const visitor = await visit(browser);
  try {
    await holdSomething(visitor.page, url);
    const startedMs = performance.now();
    const before = await workOf(visitor);
    const looks: Look[] = [];
    for (const due of LOOKS[scale]) {
      await wait(Math.max(0, startedMs + due * MINUTE_MS - performance.now()));
      // On a busy machine the look before may have taken until now.
      const minute = Number(((performance.now() - startedMs) / MINUTE_MS).toFixed(2));
      const look = { minute, ...(await heldBy(visitor)) };
      looks.push(look);
      console.error(`  minute ${minute}: ${megabytes(look.heapBytes)} MB, ${look.nodes} nodes`);
    }
    const after = await workOf(visitor);
    const seconds = (performance.now() - startedMs) / 1_000;
    const busyMs = (((after['TaskDuration'] ?? 0) - (before['TaskDuration'] ?? 0)) / seconds) * 1e3;
    return { rows: rowsOf(looks, scale, busyMs), details: { looks, before, after } };
  } finally {
    await visitor.leave();
  }
}

/** A test account with a position in the market that is shown. */
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

function rowsOf(looks: readonly Look[], scale: PageScale, busyMs: number): readonly Row[] {
  const filledAfter = FILLED_AFTER[scale];
  const later = looks.filter(({ minute }) => minute >= filledAfter);
  const growth = (key: keyof Held): number =>
    slope(later.map((look) => ({ x: look.minute, y: look[key] })));
  const course = (key: keyof Held, show: (value: number) => string | number): string =>
    looks.map((look) => show(look[key])).join(' ');
  return [
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
