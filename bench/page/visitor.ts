import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { findChromium } from '../../tests/web/support/find-chromium.ts';
import { programHeap } from './program-heap.ts';
import { DESKTOP } from '../../tests/web/support/visit.ts';

/** Somebody with an empty browser cache, and a line to the browser's own instruments. */
type Visitor = {
  readonly page: Page;
  readonly instruments: CDPSession;
  leave(): Promise<void>;
};

/** How long a page may take on a machine that does other things too. */
const PATIENCE_MS = 60_000;

export async function startBrowser(): Promise<Browser> {
  const { args, path } = await findChromium();
  return chromium.launch({ executablePath: path, args: [...args] });
}

type VisitorOptions = {
  /** Runs in the page before anything of it. */
  readonly script?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
};

export async function visit(
  browser: Browser,
  { script, viewport = DESKTOP }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { ...viewport },
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const instruments = await context.newCDPSession(page);
  await instruments.send('Performance.enable');
  await instruments.send('HeapProfiler.enable');
  return { page, instruments, leave: () => context.close() };
}

/** Opens a test account from the screen that is shown. */
export async function openTestAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Trade with a test account' }).first().click();
  await page.getByRole('button', { name: /^0x.*test/ }).waitFor();
}

/** What the page holds after everything that nobody reaches any more is gone. */
export type Held = {
  /** All of the engine's heap, with what it has compiled. */
  readonly heapBytes: number;
  /** What the program holds of it. */
  readonly programBytes: number;
  readonly nodes: number;
  readonly listeners: number;
};

/** Some things are let go only by a collection that follows another. */
const COLLECTIONS = 3;

export async function heldBy({ instruments }: Visitor): Promise<Held> {
  for (let round = 0; round < COLLECTIONS; round++) {
    await instruments.send('HeapProfiler.collectGarbage');
  }
  const { usedSize } = await instruments.send('Runtime.getHeapUsage');
  const { jsEventListeners, nodes } = await instruments.send('Memory.getDOMCounters');
  const programBytes = await programHeap(instruments);
  return { heapBytes: usedSize, programBytes, nodes, listeners: jsEventListeners };
}

/** Seconds that the page's thread has worked since it was opened, and in what. */
export async function workOf({ instruments }: Visitor): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await instruments.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

export async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
