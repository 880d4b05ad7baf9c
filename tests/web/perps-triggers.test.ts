import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { button, choose, exitPrices, size, trading } from './support/terminal.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

const LONG_MS = 120_000;
const LONG_WAIT = { timeout: 60_000 };

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
}, LONG_MS);
afterEach(() => browser.leaveAll());

test(
  'scale orders are sent in one action, a stop is listed as a trigger order, and one confirmation cancels all orders',
  async () => {
    const page = await trading(browser, venue.url);
    await choose(page, 'Scale');
    await page.getByRole('textbox', { name: 'Start price' }).fill('96800');
    await page.getByRole('textbox', { name: 'End price' }).fill('96700');
    await page.getByRole('textbox', { name: 'Orders' }).fill('3');
    await size(page).fill('0.003');
    await button(page, 'Buy 0.003 BTC in 3 orders').click();
    await page.getByText('0.001 at 96,750.0 resting in the order book').waitFor();
    await page.getByRole('tab', { name: 'Open orders 3' }).click();
    for (const price of ['96,800.0', '96,750.0', '96,700.0']) {
      await page.getByRole('row', { name: price }).waitFor();
    }
    await choose(page, 'Stop');
    // The result of the scale orders is not shown below another order.
    await page.getByText('resting in the order book').first().waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Sell / short' }).click();
    await page.getByRole('textbox', { name: 'Trigger price (mark)' }).fill('96500');
    await size(page).fill('0.001');
    // None of the scale orders' prices is reused. A stop starts at the market price and shows its
    // limit.
    const limit = page.getByRole('textbox', { name: 'Limit' });
    expect(await limit.inputValue()).toBe('');
    await limit.fill('96400');
    await button(page, 'Sell 0.001 BTC at 96,400 when mark reaches 96,500').waitFor();
    await choose(page, 'Take profit');
    expect(await limit.inputValue()).toBe('');
    await choose(page, 'Stop');
    expect(await limit.inputValue()).toBe('');
    await page.getByText('Waits for the trigger price. No immediate fill.').waitFor();
    await button(page, 'Sell 0.001 BTC when mark reaches 96,500').click();
    await page.getByText('Waiting for mark price 96,500.0', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Conditional orders 1' }).click();
    await page.getByRole('row', { name: /96,500\.0/ }).waitFor();
    // Moving a trigger order replaces it.
    await page.getByRole('slider', { name: 'Trigger sell 0.001' }).press('ArrowDown');
    await page.getByRole('slider', { name: 'Trigger sell 0.001' }).press('Enter');
    await page.getByRole('row', { name: /96,499\.9/ }).waitFor();
    await page.getByRole('row', { name: /96,500\.0/ }).waitFor({ state: 'detached' });
    // The trigger order can also be edited in the table, where it is given a limit. A price beyond
    // the mark would trigger immediately, so it is not sent.
    await page.getByRole('row', { name: /Sell · SL.*96,499\.9 Market/ }).waitFor();
    await button(page, 'Edit order at 96,499.9').click();
    const dialog = page.getByRole('dialog', { name: 'Edit conditional order' });
    const put = dialog.getByRole('button', { name: 'Save changes' });
    expect(await put.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Trigger price (mark)' }).fill('99000');
    await dialog.getByText('would trigger immediately').waitFor();
    expect(await put.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Trigger price (mark)' }).fill('96300');
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('96200');
    await put.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Sell · SL.*96,300\.0 96,200\.0/ }).waitFor();
    await page.getByRole('row', { name: /96,499\.9/ }).waitFor({ state: 'detached' });

    await button(page, 'Cancel all').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 4 orders' }).click();
    await page.getByText('No conditional orders', { exact: true }).waitFor();
    // The address includes the tab, so a reload opens the same tab.
    await page.reload();
    await page.getByText('No conditional orders', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Open orders' }).click();
    await page.getByText('No open orders').waitFor();
  },
  LONG_MS,
);

test(
  'TP/SL can be set in the ticket in USDC and percent, and dragged on the chart',
  async () => {
    const page = await trading(browser, venue.url);
    await choose(page, 'Market');
    await button(page, 'BTC ⇄').click();
    await size(page).fill('500');
    await page.getByRole('checkbox', { name: 'TP/SL' }).click();
    await choose(page, 'Percent');
    await page.getByRole('textbox', { name: 'TP' }).fill('0.3');
    await page.getByRole('textbox', { name: 'SL' }).fill('0.3');
    // Prices and the resulting PnL are shown before the order is sent.
    await page.getByText('PnL at 97,291.0: +1.50 USDC (+0.30%)').waitFor();
    await page.getByText('PnL at 96,709.0: −1.50 USDC (−0.30%)').waitFor();
    // The size is 500 / 97,000, rounded down to a whole lot.
    await button(page, 'Buy 0.00515 BTC at market').click();
    await page.getByText('Filled 0.00515 at 97,010.0').first().waitFor();
    await expect.poll(() => exitPrices(page), LONG_WAIT).toBe('97,291.0 / 96,709.0');

    const line = page.locator('[role=slider][aria-valuetext*="97,291"]');
    const box = (await line.boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + box.height / 2 + 30, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(() => exitPrices(page), LONG_WAIT)
      .toMatch(/^97,(?:0[1-9]|1\d|2[0-8])\d\.\d \/ 96,709\.0$/);
    // A take-profit beyond the mark would execute immediately, so the page says so during the drag
    // and does not send the order.
    const stood = await exitPrices(page);
    const [from, to] = [
      (await page.getByRole('slider', { name: 'Take profit' }).boundingBox())!,
      (await page.getByRole('slider', { name: 'Stop loss' }).boundingBox())!,
    ];
    await page.mouse.move(from.x + 20, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 20, to.y + to.height / 2, { steps: 4 });
    await page.getByText('would trigger immediately').waitFor();
    await page.mouse.up();
    await page.getByText('The mark price has already passed this price').first().waitFor();
    expect(await exitPrices(page)).toBe(stood);
    // The venue keeps TP/SL orders that came with the order, so the page cancels them when it
    // closes the position.
    await button(page, 'Close BTC-USDC').click();
    await page
      .getByRole('menuitem', { name: 'Close 100% at market and cancel its 2 TP/SL orders' })
      .click();
    await page.getByText('No open positions').waitFor();
    await page.getByRole('tab', { name: 'Conditional orders' }).click();
    await page.getByText('No conditional orders', { exact: true }).waitFor();
  },
  LONG_MS,
);
