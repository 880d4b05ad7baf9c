import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockEnvironment } from '../../fixtures/venue-clock.ts';
import { startAt } from '../../fixtures/people.ts';
import { DEPLOYER } from '../../support/deployer.ts';
import { temporaryData, type Venue } from '../../support/venue-process.ts';
import { buildPageOnce } from './build-once.ts';
import { OutcomePeople } from './outcome-people.ts';
import { pageReady } from './web-venue.ts';

/**
 * Starts a venue with a series. The test controls the clock and the reference price, so that a
 * quarter of an hour passes instantly. Only the clock is replaced.
 */

export const PERIOD_MS = 900_000;
const WINDOW_S = 30;
/**
 * Observations are accepted within ten seconds of their time and stay valid for five. These
 * intervals are much shorter, because the real time between two of them is added.
 */
const STEP_MS = 7_000;
const APART_MS = 4_000;
const FLAGS = ['--oracle', 'still', '--no-limits', '--no-bots', '--web', '--deployers', DEPLOYER];
const CONVERGE_MS_MAX = 10_000;
const SOON_MS = 120_000;

export class HeldSeries {
  readonly venue: Venue;
  readonly people: OutcomePeople;
  readonly slug: string;
  readonly firstStartMs: number;
  readonly #clockFile: string;
  #aheadMs: number;

  private constructor(venue: Venue, clockFile: string, slug: string, firstStartMs: number) {
    this.venue = venue;
    this.people = new OutcomePeople(venue.url);
    this.slug = slug;
    this.firstStartMs = firstStartMs;
    this.#clockFile = clockFile;
    this.#aheadMs = 0;
  }

  /** Lists a series with a first market that has not started yet. */
  static async start(): Promise<HeldSeries> {
    await buildPageOnce();
    const folder = await temporaryData();
    const clockFile = join(await temporaryData(), 'ahead');
    writeFileSync(clockFile, '0');
    const venue = await startAt(folder, clockEnvironment(`ahead:${clockFile}`), FLAGS);
    await pageReady(venue.url);
    // The start is far enough ahead that a price can be pushed before it.
    const firstStartMs = Math.ceil((Date.now() + SOON_MS) / PERIOD_MS) * PERIOD_MS;
    const slug = await new OutcomePeople(venue.url).series({
      title: 'TIDE up or down in 15 minutes',
      symbol: 'TIDE',
      firstStartTime: firstStartMs,
      window: WINDOW_S,
    });
    return new HeldSeries(venue, clockFile, slug, firstStartMs);
  }

  get nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Advances time to a given instant. Time never goes back. */
  passTo(instantMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, instantMs - Date.now());
    writeFileSync(this.#clockFile, String(this.#aheadMs));
  }

  /**
   * Pushes prices throughout the averaging window that ends at `instantMs`, and advances the clock
   * to just after it.
   */
  async priceBefore(instantMs: number, price: string): Promise<void> {
    this.passTo(instantMs - WINDOW_S * 1_000 - APART_MS);
    await this.#push(price);
    while (this.nowMs < instantMs) {
      this.passTo(this.nowMs + STEP_MS);
      await this.#push(price);
    }
  }

  async observe(price: string): Promise<void> {
    await this.#observe(price, [this.nowMs]);
  }

  async remove(): Promise<void> {
    await this.venue.remove();
  }

  /**
   * Pushes three observations up to the current time, all later than those of the previous push.
   */
  async #push(px: string): Promise<void> {
    const nowMs = this.nowMs;
    await this.#observe(
      px,
      [2, 1, 0].map((ago) => nowMs - ago * (APART_MS - 1_000)),
    );
  }

  /**
   * Retries observations, because the venue's clock lags slightly and it rejects future
   * observations.
   */
  async #observe(px: string, times: readonly number[]): Promise<void> {
    const { pushPrice } = this.people.deployer.exchange.outcomeDeploy;
    const prices = times.map((time) => ({ symbol: 'TIDE', source: 'oracle' as const, px, time }));
    const deadline = Date.now() + CONVERGE_MS_MAX;
    while (Date.now() < deadline) {
      const reply = await pushPrice({ prices }, { confirm: 'executed' });
      if (reply.status === 'executed' && reply.failure === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The venue did not take prices of ${times.join(', ')}`);
  }
}
