import { createClient, privateKeyWallet, type Client } from '@oddlot/sdk';
import type { Browser } from 'playwright-core';
import { addressOf, keyOf } from '../../tests/support/wallet.ts';
import { startWebVenue } from '../../tests/web/support/web-venue.ts';
import type { Row } from '../report.ts';
import { startBrowser, wait } from './visitor.ts';

export type PageScale = 'full' | 'quick';

/** What the sections measure on: a venue with simulated traders that serves its page, and a browser. */
export type Stage = {
  readonly scale: PageScale;
  readonly url: string;
  readonly browser: Browser;
  /** Who may list markets. */
  readonly admin: Client;
  close(): Promise<void>;
};

/** What a section gives: lines of the table, and the numbers behind them for the file. */
export type Measured = { readonly rows: readonly Row[]; readonly details: unknown };
export type PageSection = (stage: Stage) => Promise<Measured>;

/** Bots need a while to make a market of a new venue. */
const WARM_UP_MS = 15_000;

export async function setStage(scale: PageScale): Promise<Stage> {
  const key = keyOf('measuring admin');
  const flags = ['--oracle', 'simulated', '--no-limits', '--web', '--admins', addressOf(key)];
  const venue = await startWebVenue(flags);
  const browser = await startBrowser();
  const admin = createClient({ url: venue.url, wallet: privateKeyWallet(key) });
  await wait(WARM_UP_MS);
  return {
    scale,
    url: venue.url,
    browser,
    admin,
    async close() {
      admin.close();
      await browser.close();
      await venue.remove();
    },
  };
}
