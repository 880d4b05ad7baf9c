import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEPLOYER } from '../support/deployer.ts';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { OutcomePeople, type Listed } from './support/outcome-people.ts';
import { PHONE, type VisitOptions } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

let venue: Venue;
let browser: WebBrowser;
let people: OutcomePeople;

beforeAll(async () => {
  const flags = ['--oracle', 'still', '--no-limits', '--no-bots', '--web', '--deployers', DEPLOYER];
  [venue, browser] = await Promise.all([startWebVenue(flags), workerBrowser()]);
  people = new OutcomePeople(venue.url);
});
afterEach(() => browser.leaveAll());
afterAll(async () => {
  await venue?.remove();
});

async function visiting(path: string, options: VisitOptions = {}): Promise<Page> {
  const visit = await browser.visit(venue.url, options);
  await visit.open(path);
  return visit.page;
}

/** Opens an event's page for a visitor with a test account. */
async function trading(
  { eventSlug }: Pick<Listed, 'eventSlug'>,
  options: VisitOptions = {},
): Promise<Page> {
  const visit = await browser.visit(venue.url, options);
  await visit.openWithAccount(`/events/${eventSlug}`);
  const { page } = visit;
  await page.getByRole('button', { name: 'Buy Yes', exact: true }).waitFor();
  return page;
}

const shares = (page: Page) => page.getByRole('region', { name: 'Your shares' });
const choose = (page: Page, name: string) => page.getByRole('radio', { name }).first().click();

/** Transfers the missing amount from the perp sub-account, which is where the faucet pays to. */
async function move(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: `Transfer ${amount} USDC` }).click();
}

describe('visitors can find events', () => {
  test('events are found by word and topic, and the address includes the search', async () => {
    const eventSlug = await people.event({ title: 'Will the tide turn?', category: 'sea' });
    await people.quote(await people.market({}, eventSlug));
    const other = await people.event({ title: 'Is the moon full?', category: 'sky' });
    await people.market({}, other);
    const page = await visiting('/events?q=tide');
    await page.getByRole('heading', { name: 'Will the tide turn?' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Is the moon full?' }).count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'sky' }).click();
    await page.getByRole('heading', { name: 'Is the moon full?' }).waitFor();
    await page.getByRole('heading', { name: 'Will the tide turn?' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('topic')).toBe('sky');
    // The initial probability of one half is not shown, because there are no quotes and no trades.
    const moon = page.getByRole('listitem').filter({ hasText: 'Is the moon full?' });
    expect(await moon.innerText()).not.toMatch(/50\s%/);
    await page.getByRole('link', { name: 'Is the moon full?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Is the moon full?' }).waitFor();
    await page.getByRole('button', { name: /^Yes/ }).first().waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/50\s%/);
  });

  test('the search finds events far down the list, and the remaining events are paged', async () => {
    const list = async (title: string): Promise<void> => {
      await people.market({}, await people.event({ title, category: 'herd' }));
    };
    await list('The needle');
    await Promise.all(Array.from({ length: 52 }, (_, at) => list(`Sheep number ${at}`)));
    const page = await visiting('/events?sort=newest&topic=herd');
    await page.getByRole('heading', { name: 'Sheep number 7', exact: true }).waitFor();
    const needle = page.getByRole('heading', { name: 'The needle' });
    expect(await needle.count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await needle.waitFor();
    await page.getByRole('searchbox').fill('NEEDLE the');
    await page.getByRole('heading', { name: 'Sheep number 7', exact: true }).waitFor({
      state: 'detached',
    });
    await needle.waitFor();
    await page.getByRole('searchbox').fill('no such animal');
    await page.getByText('No matches').waitFor();
    await page.getByRole('button', { name: 'Show all events' }).click();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBeNull();
  });

  test("a market's name leads to its event, and an unknown name is reported", async () => {
    const eventSlug = await people.event({ title: 'Two ferries' });
    await people.market({ groupTitle: 'Early' }, eventSlug);
    const laterMarket = await people.market({ groupTitle: 'Late' }, eventSlug);
    const visit = await browser.visit(venue.url, { expectedErrors: /404|Failed to load/ });
    // If a chart's code fails to load, the page reports this, and the rest of the screen still
    // works.
    await visit.page.route(/\/plot-[^/]*\.js$/, (route) => route.abort());
    await visit.open(`/events/${laterMarket.slug}`);
    await visit.page.getByText('The chart could not be drawn').waitFor();
    await visit.page.getByRole('heading', { level: 1, name: 'Two ferries' }).waitFor();
    expect(new URL(visit.page.url()).pathname).toBe(`/events/${eventSlug}`);
    await visit.page.getByRole('region', { name: 'Order ticket' }).getByText('Late').waitFor();
    await visit.open('/events/there-is-none');
    await visit.page.getByText('Event not found').waitFor();
    await visit.page.getByRole('link', { name: 'All events' }).click();
    await visit.page.getByRole('searchbox').waitFor();
    await visit.open('/series/there-is-none');
    await visit.page.getByText('Series not found').waitFor();
    await visit.page.getByRole('link', { name: 'All events' }).waitFor();
    // The page sends no query for an invalid hash.
    await visit.open('/explorer/tx/0x1234');
    await visit.page.getByText('Transaction not found').waitFor();
    expect(visit.sent.filter(({ body }) => body.includes('0x1234'))).toEqual([]);
  });
});

describe('the ticket sends orders for shares', () => {
  test('a visitor with no money in the sub-account can buy shares and sell them again', async () => {
    const market = await people.market();
    await people.quote(market);
    const page = await trading(market);
    await page.getByLabel('Amount').fill('20');
    // The order buys 41.66 shares at 46 cents. With two ticks of slippage, they cost 19.9968 at 48
    // cents, which is within the entered amount.
    await move(page, '20.00');
    await page.getByText('48¢, the rest is cancelled after 10 s').waitFor();
    // Money reserved by a pending order is not shown as a loss, but the cost of shares is.
    await page.getByText('20.00 USDC', { exact: true }).waitFor();
    await page.getByText('−19.16', { exact: true }).waitFor();
    await page.getByText('If No', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Buy 41.66 Yes for 19.16' }).click();
    await page.getByText('41.66 shares at 46.0¢').waitFor();
    await shares(page).getByText('41.66 Yes at 46.0¢').waitFor();
    // The shares are valued at the mark of 45 and at both extremes.
    for (const worth of ['18.75', '41.66', '0.00']) {
      await shares(page).getByText(worth, { exact: true }).waitFor();
    }
    await shares(page).getByRole('button', { name: 'Sell at 44¢' }).click();
    await page.getByRole('button', { name: 'Max 41.66' }).click();
    await page.getByRole('button', { name: 'Sell 41.66 Yes for 18.33' }).click();
    await page.getByText('41.66 shares at 44.0¢').waitFor();
    await shares(page).waitFor({ state: 'detached' });
  });

  test("NO has YES's mirrored book, and a press on a level sets the limit", async () => {
    const market = await people.market();
    await people.quote(market);
    const page = await trading(market);
    // The book is a drawing, so keyboard users and screen readers step through its levels.
    const levelOf = async (name: string, key: string): Promise<string> => {
      const side = page.getByRole('slider', { name });
      await side.press(key);
      await expect.poll(() => side.getAttribute('aria-valuetext')).toMatch(/¢, 200 shares at/);
      return String(await side.getAttribute('aria-valuetext'));
    };
    expect(await levelOf('Asks for Yes', 'ArrowUp')).toMatch(/^46¢/);
    expect(await levelOf('Bids for Yes', 'ArrowDown')).toMatch(/^44¢/);
    await page.getByRole('radio', { name: /^No/ }).first().click();
    expect(await levelOf('Bids for No', 'ArrowDown')).toMatch(/^54¢/);
    expect(await levelOf('Asks for No', 'ArrowUp')).toMatch(/^56¢/);
    await page.getByRole('slider', { name: 'Asks for No' }).press('Enter');
    expect(new URL(page.url()).searchParams.get('leg')).toBe('no');
    expect(await page.getByLabel('Price', { exact: true }).inputValue()).toBe('56');
  });

  test('an off-tick price is explained, and a limit order rests and can be cancelled', async () => {
    const market = await people.market();
    await people.quote(market);
    const page = await trading(market);
    await choose(page, 'Limit');
    await page.getByLabel('Price', { exact: true }).fill('40.4');
    await page.getByLabel('Amount').fill('8');
    await choose(page, 'Date');
    await page.getByLabel('Until', { exact: true }).fill('2999-01-01T00:00');
    await page.getByText(/^Trading ends .*\. The order expires then\.$/).waitFor();
    await choose(page, 'GTC');
    await page.getByText('Price must be a multiple of 1¢').waitFor();
    await page.getByRole('button', { name: 'Use 40¢' }).click();
    await move(page, '8.00');
    await page.getByRole('button', { name: 'Buy 20 Yes at 40¢' }).click();
    await page.getByText('In the order book').waitFor();
    await page.getByRole('tab', { name: /Your orders/ }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Buy 20 Yes at 40¢' });
    await row.getByTitle('Execution report').press('r');
    const report = page.getByRole('dialog', { name: /^Execution of order/ });
    await report.getByText(/^Buy 20 .* Yes at 0\.4 · GTC$/).waitFor();
    await report.getByRole('region', { name: 'Queue position' }).waitFor();
    await page.keyboard.press('Escape');
    await report.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('No open orders').waitFor();
  });

  test('money can be split into a pair of shares and merged back', async () => {
    const market = await people.market();
    await people.quote(market);
    const page = await trading(market, {
      expectedErrors: /ERR_|WebSocket|Failed to (?:load|fetch)/,
    });
    await choose(page, 'Split');
    await page.getByLabel('Pairs').fill('10');
    await move(page, '10.00');
    await page.getByRole('button', { name: 'Split 10 USDC into pairs' }).click();
    await page.getByText('10 USDC split into 10 Yes and 10 No.').waitFor();
    await shares(page).getByText('10 No at').waitFor();
    await choose(page, 'Merge');
    await page.getByLabel('Pairs').fill('4');
    await page.getByRole('button', { name: 'Merge 4 pairs into USDC' }).click();
    await shares(page).getByText('6 Yes at').waitFor();
    await shares(page).getByText('6 No at').waitFor();
    // With no connection, the buttons for pairs, orders and transfers are disabled.
    await page.context().setOffline(true);
    const nothing = page.getByRole('button', { name: 'Not connected' });
    await nothing.waitFor();
    await choose(page, 'Buy');
    await page.getByLabel('Amount').fill('20');
    expect(await nothing.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^Transfer .* USDC$/ }).count()).toBe(0);
  });
});

describe('the Enter key sends a ticket', () => {
  test('the Enter key acts once, like the button, and does nothing while a request is pending', async () => {
    const market = await people.market();
    await people.quote(market);
    const page = await trading(market);
    const sent: string[] = [];
    let release = (): void => undefined;
    await page.route('**/exchange', async (route) => {
      const { type } = (route.request().postDataJSON() as { action: { type: string } }).action;
      sent.push(type);
      // Transfers pass immediately. A request sent by a key press is held until it is released.
      if (type !== 'tokenSend') await new Promise<void>((resolve) => (release = resolve));
      await route.continue();
    });
    const pressTwice = async (label: string, type: string): Promise<void> => {
      await page.getByLabel(label).press('Enter');
      await expect.poll(() => sent.at(-1)).toBe(type);
      await page.getByLabel(label).press('Enter');
      release();
    };
    await choose(page, 'Split');
    await page.getByLabel('Pairs').fill('10');
    // If money is missing, a button transfers it. The Enter key does not skip that step.
    await page.getByRole('button', { name: 'Transfer 10.00 USDC' }).waitFor();
    await page.getByLabel('Pairs').press('Enter');
    await move(page, '10.00');
    await page.getByRole('button', { name: 'Split 10 USDC into pairs' }).waitFor();
    await pressTwice('Pairs', 'outcomeOperate');
    await page.getByText('10 USDC split into 10 Yes and 10 No.').waitFor();
    await choose(page, 'Buy');
    await page.getByLabel('Amount').fill('10');
    await page.getByRole('button', { name: 'Transfer 10.00 USDC' }).waitFor();
    await page.getByLabel('Amount').press('Enter');
    await move(page, '10.00');
    await page.getByRole('button', { name: 'Buy 20.83 Yes for 9.58' }).waitFor();
    await pressTwice('Amount', 'order');
    await page.getByText('20.83 shares at 46.0¢').waitFor();
    await shares(page).getByText('30.83 Yes at').waitFor();
    expect(sent).toEqual(['tokenSend', 'outcomeOperate', 'tokenSend', 'order']);
  });
});

describe('R-delay: the page shows that an order is being delayed', () => {
  test('R-delay: a delayed taker order is shown as waiting until it fills or fails because the market is halted', async () => {
    const market = await people.market({ orderDelayMs: 3_000 });
    await people.quote(market);
    const page = await trading(market);
    await page.getByLabel('Amount').fill('10');
    await move(page, '10.00');
    const button = page.getByRole('button', { name: 'Buy 20.83 Yes for 9.58' });
    await button.click();
    await page.getByText('Order held for 3 s').waitFor();
    await people.set(market, 'halt');
    await page.getByText('Not placed').waitFor();
    await page.getByText('Trading is halted for “Will it?”').waitFor();
    await page.getByText('Trading is halted. You can cancel resting orders.').waitFor();
    await page.getByLabel('Amount').fill('10');
    expect(await button.isDisabled()).toBe(true);
    await people.set(market, 'open');
    await page.getByText('You can cancel resting orders').waitFor({ state: 'detached' });
    await button.click();
    await page.getByText('Order held for 3 s').waitFor();
    await page.getByText('20.83 shares at 46.0¢').waitFor();
  });
});

describe("an open page shows its market's resolution", () => {
  test('an open page shows the payout, the evidence as text, and the recomputed resolution record', async () => {
    const market = await people.market({ outcomes: ['Rain', 'Dry'] });
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open(`/events/${market.eventSlug}`);
    await page.getByRole('button', { name: 'Trade with a test account' }).click();
    await choose(page, 'Split');
    await page.getByLabel('Pairs').fill('10');
    await move(page, '10.00');
    await page.getByRole('button', { name: 'Split 10 USDC into pairs' }).click();
    await shares(page).waitFor();
    await visit.waitForChannel('userNonFundingLedgerUpdates');
    await people.set(market, 'close');
    await page.getByRole('status').getByText('the result is pending').waitFor();
    // Pairs can be merged until the resolution, but orders can no longer be sent.
    await page.getByRole('button', { name: 'Merge 0 pairs into USDC' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Buy|Sell)/ }).count()).toBe(0);
    await page.getByText('trading ended', { exact: true }).waitFor();
    await page.getByText('No trades').first().waitFor();
    await people.decide(market, '1', 'The <b>gauge</b> said \u202E4 mm');
    await page.getByRole('heading', { name: 'Rain won' }).waitFor();
    await page.getByText('paid 10.00 USDC', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Paid 10\.00 USDC/ }).waitFor();
    const payout = page.getByRole('region', { name: 'Your payout' });
    await payout.getByText('10 Rain shares paid out 10.00 USDC').waitFor();
    await payout.getByText('10 Dry shares pay nothing').waitFor();
    // The notices report both results: the market's resolution, and the loss as a loss.
    await visit.waitForNotice('Will it? paid you 10.00 USDC');
    await visit.waitForNotice('Will it? resolved to Rain | Your 10 Dry shares pay nothing');
    await page.getByText('The <b>gauge</b> said 4 mm').waitFor();
    await page.getByText(`--instrument ${market.id}`).waitFor();
    await page.getByRole('button', { name: 'Verify in browser' }).click();
    await page.getByText('Record hash matches').waitFor();
    await page.getByText('Winner matches').waitFor();
  });
});

describe('the tables of an account show its shares', () => {
  test('the value of shares follows the price, and the payout row names the market', async () => {
    const event = await people.event({ title: 'Does the ice hold?' });
    const market = await people.market({ question: 'Does the ice hold on Friday?' }, event);
    const holder = await people.holder(market, '100');
    const visit = await browser.visit(venue.url, { expectedErrors: /ERR_FAILED/ });
    const { page } = visit;
    await visit.open(`/explorer/address/${holder}?tab=shares`);
    const row = page.getByRole('row', { name: /Yes/ }).filter({ hasText: 'ice' });
    await row.getByText('50.00').first().waitFor();
    // From here on, only the stream provides the value of the shares.
    await page.route('**/info', (route) =>
      /clearinghouseState|outcomePositions/.test(route.request().postData() ?? '')
        ? route.abort()
        : route.continue(),
    );
    await people.quote(market, '20');
    await row.getByText('45.00').first().waitFor();
    await page.unroute('**/info');
    await people.resolve(market, '0.25', 'it held for an hour');
    await page.getByRole('tab', { name: 'Account history' }).click();
    await page.getByText(/Does the ice hold.*: 100 Yes at 25¢/).waitFor();
    await page.getByText(/Does the ice hold.*: 100 No at 75¢/).waitFor();
  });
});

describe('the outcome screens are accessible in both themes and at both sizes', () => {
  test('axe finds no violations, and the probabilities of a set have no sum, which the spread would distort', async () => {
    const eventSlug = await people.event({ mutuallyExclusive: true });
    for (const groupTitle of ['Atlas', 'Comet']) {
      await people.quote(await people.market({ groupTitle }, eventSlug), '20');
    }
    // Under LANG=C, Chromium reports a language that formatters reject, but the chart is still
    // drawn.
    const page = await visiting(`/events/${eventSlug}`, {
      script: `Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });`,
    });
    await page.getByRole('button', { name: 'Yes 46¢' }).first().waitFor();
    await page.locator('.uplot canvas').first().waitFor();
    expect(await page.getByRole('row', { name: /^Total/ }).count()).toBe(0);
    expect(await faultsFound(page)).toEqual([]);
  });

  test("a viewer sees another account's shares and orders, without buttons", async () => {
    const market = await people.market();
    await people.quote(market, '20');
    const address = await people.holder(market, '10');
    const view = JSON.stringify({ kind: 'spectator', address });
    const other = await visiting(`/events/${market.eventSlug}`, {
      script: `localStorage.setItem('oddlot.view', ${JSON.stringify(view)});`,
    });
    await shares(other).getByText('10 Yes at').waitFor();
    await other.getByText('View only. Connect an account to trade.').waitFor();
    expect(await other.getByRole('button', { name: /^Buy / }).count()).toBe(0);
  });

  test('on a phone the ticket is a sheet, and no content is wider than the screen', async () => {
    const market = await people.market({ question: 'A very long question '.repeat(12) });
    await people.quote(market, '20');
    const page = await visiting(`/events/${market.eventSlug}`, { viewport: PHONE });
    await page.getByRole('button', { name: 'Yes 46¢' }).last().click();
    await page.getByRole('dialog').getByLabel('Amount').fill('10');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  });
});
