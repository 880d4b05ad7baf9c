import { afterEach, beforeAll, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadableForm } from './support/expect-readable.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { DESKTOP } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Opens the operator's forms and stale states without sending anything. */

const LONG_MS = 120_000;

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

/** Each form, with its tab, the button that opens it, and a button inside it. */
const FORMS = [
  ['Perps', 'List a perp', 'Add tier'],
  ['Perps', 'Push price of BTC-USDC', undefined],
  ['Events', 'Create event', 'Add market'],
  ['Fees', 'Edit fee schedule', 'Add tier'],
  ['Access', undefined, undefined],
  ['Operators', undefined, undefined],
] as const;

test(
  'every tab of the operator screen and its forms are accessible',
  async () => {
    const operator = await browser.visit(venue.url);
    const { page } = operator;
    await operator.open('/operate?tab=health');
    await page.getByRole('button', { name: 'Open operator key' }).click();
    await page.getByLabel('Private key').fill(WHO_DEPLOYS);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'Remove key' }).waitFor();
    for (const [tab, button, more] of FORMS) {
      await page.setViewportSize(DESKTOP);
      await page.getByRole('tab', { name: tab }).click();
      if (button !== undefined) await page.getByRole('button', { name: button }).click();
      if (more !== undefined) await page.getByRole('button', { name: more }).click();
      await expectReadableForm(page, `${tab} ${button}`);
      if (button !== undefined) await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  },
  LONG_MS,
);

test('stale data and the message about it are accessible', async () => {
  const lost = await browser.visit(venue.url, { expectedErrors: /./ });
  const { page } = lost;
  await lost.open('/operate');
  await page.locator('main').getByText('BTC-USDC').first().waitFor();
  await page.context().setOffline(true);
  await page.getByText(/^You are offline\. Data as of/).waitFor();
  await expectReadableForm(page, 'offline');
});

test('the key dialog is accessible while it shows an error', async () => {
  const visitor = await browser.visit(venue.url);
  const { page } = visitor;
  await visitor.open('/operate');
  await page.getByRole('button', { name: 'Open operator key' }).click();
  await page.getByLabel('Private key').fill('0x12');
  await page
    .getByText(/0x followed by 64/)
    .first()
    .waitFor();
  await expectReadableForm(page, 'the dialog of a key');
});
