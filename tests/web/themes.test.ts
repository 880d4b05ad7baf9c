import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test("with reduced motion, every text takes on the new theme's colour at once", async () => {
  const visit = await browser.visit(venue.url);
  const { page } = visit;
  await visit.openWithAccount('/trade/BTC-USDC');
  await page.getByText(/^Max \d/).waitFor();
  const late = await page.evaluate(() => {
    const colours = (): readonly string[] =>
      [...document.querySelectorAll('header *, main *')].map(
        (element) => getComputedStyle(element).color,
      );
    document.documentElement.dataset['theme'] = 'light';
    const first = colours();
    const running = document.getAnimations().filter((each) => each instanceof CSSTransition);
    return { running: running.length, colours: new Set(first).size };
  });
  expect(late.running).toBe(0);
  // A page without colours would also have no transitions.
  expect(late.colours).toBeGreaterThan(3);
});
