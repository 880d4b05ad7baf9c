import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomPrivateKey, privateKeyWallet } from '@oddlot/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { OutcomePeople } from './support/outcome-people.ts';
import { storedKeys } from './support/stored-keys.ts';
import { openTestAccount } from './support/test-account.ts';
import { DESKTOP, PHONE, type Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

/** Attacks on a visitor who has this page open. */

const LONG_MS = 120_000;

let venue: Venue;
let browser: WebBrowser;
/** Serves a page on another site. */
let outsider: Server;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
  outsider = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Win!</title><iframe src="${venue.url}/"></iframe>`);
  });
  await new Promise<void>((resolve) => void outsider.listen(0, '127.0.0.1', resolve));
});
afterEach(() => browser.leaveAll());
afterAll(() => outsider?.close());

test('the page stays empty in a frame on another site', async () => {
  const { port } = outsider.address() as AddressInfo;
  const visit = await browser.visit(`http://127.0.0.1:${port}`, {
    expectedErrors: /frame-ancestors|chrome-error|localStorage/,
  });
  const refused = visit.page.waitForEvent('console', {
    predicate: (message) => message.text().includes('frame-ancestors'),
  });
  await visit.page.goto(visit.url);
  await refused;
  const frame = visit.page.frames().find((each) => each !== visit.page.mainFrame())!;
  expect(await frame.locator('#root').count()).toBe(0);
});

test('scripts from other sources do not run, and the tests detect an attempt to run one', async () => {
  const visit = await browser.visit(venue.url);
  await visit.open('/');
  await visit.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.hasRun = true';
    document.head.append(script);
    const handler = document.createElement('img');
    handler.setAttribute('onerror', 'globalThis.hasRun = true');
    handler.src = '/no-such-picture';
    document.body.append(handler);
    const foreign = document.createElement('img');
    foreign.src = 'https://example.invalid/pixel.png';
    document.body.append(foreign);
  });
  await expect.poll(() => visit.faults.join('\n')).toMatch(/policy: script-src-attr/);
  await expect.poll(() => visit.faults.join('\n')).toMatch(/policy: script-src-elem/);
  await expect.poll(() => visit.faults.join('\n')).toMatch(/policy: img-src/);
  expect(await visit.page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  // In any other test, this message would cause a failure at the end.
  await expect(visit.leave()).rejects.toThrow(/policy: script-src-elem/);
  visit.expectErrors(/./);
});

test(
  'no private key leaves the browser during a complete first trade',
  async () => {
    const visit = await browser.visit(venue.url);
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('button', { name: 'Trade with a test account' }).click();
    await page.getByText('Your test account is ready').waitFor();
    await page.getByRole('link', { name: 'Trade BTC-USDC' }).click();
    await page.getByRole('radio', { name: 'Market' }).click();
    await page.getByRole('textbox', { name: 'Size' }).fill('0.01');
    await page.getByRole('button', { name: 'Buy 0.01 BTC at market' }).click();
    await page.getByText('Filled 0.01 at 97,010.0').first().waitFor();

    const keys = await storedKeys(page);
    expect(keys.map((key) => /^0x[0-9a-f]{64}$/.test(key))).toEqual([true, true]);
    const all = visit.sent.map(({ body, url }) => `${url} ${body}`).join('\n');
    // The log includes the data sent over HTTP and over sockets.
    expect(all).toContain('"approveAgent"');
    expect(visit.sent.some(({ url }) => url.startsWith('ws:'))).toBe(true);
    expect(all).toMatch(/"signature"/);
    const html = await page.content();
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    for (const key of keys) {
      for (const [where, text] of Object.entries({ all, html, stored })) {
        expect([where, spellings(key).filter((form) => text.includes(form))]).toEqual([where, []]);
      }
    }
  },
  LONG_MS,
);

/**
 * Returns all the ways to encode a key: hexadecimal in upper and lower case, base 64 and decimal.
 */
function spellings(key: string): readonly string[] {
  const hex = key.slice(2);
  const bytes = Buffer.from(hex, 'hex');
  return [hex, hex.toUpperCase(), bytes.toString('base64'), BigInt(key).toString()];
}

describe('texts from other users are shown as plain text', () => {
  const TURNING = /[\u202A-\u202E\u2066-\u2069]/gu;
  const HOSTILE = [
    '<img src=x onerror="globalThis.hasRun=true">',
    '"><script>globalThis.hasRun=true</script>',
    '\u202Eevil\u202D txet thgir\u2066 $t(app.name) {{amount}}',
    'z\u200Be\u200Br\u200Do\u2060 w\uFEFFidth',
    'W'.repeat(200),
  ];

  test(
    'event titles and names are shown as plain text on every screen',
    async () => {
      const people = new OutcomePeople(venue.url);
      const slugs: string[] = [];
      for (const title of HOSTILE) {
        const slug = await people.event({ title, category: 'test', mutuallyExclusive: true });
        await people.market({ groupTitle: '<b>bold</b>', question: title }, slug);
        slugs.push(slug);
      }
      await people.market({ groupTitle: 'N'.repeat(60), question: 'Long?' }, slugs.at(-1)!);
      const visit = await browser.visit(venue.url);
      const { page } = visit;
      for (const path of ['/', '/events', `/events/${slugs[2]}`, `/events/${slugs.at(-1)}`]) {
        await page.setViewportSize({ ...DESKTOP });
        await visit.open(path);
        await page.getByText('<b>bold</b>').first().waitFor();
        await staysWhole(visit, path);
        if (path === '/events') {
          const shown = (await page.locator('main').textContent()) ?? '';
          for (const title of HOSTILE) expect(shown).toContain(title.replace(TURNING, ''));
          // A name with characters that change the text direction would reverse the price next to
          // it.
          expect(shown).not.toMatch(TURNING);
        }
        await page.setViewportSize({ ...PHONE });
        await staysWhole(visit, `${path} on a phone`);
      }
    },
    LONG_MS,
  );

  test(
    'agent labels are shown as plain text',
    async () => {
      const visit = await browser.visit(venue.url);
      const { page } = visit;
      const { owner } = await openTestAccount(page, venue.url);
      for (const name of HOSTILE.slice(0, 3)) {
        const agentAddress = privateKeyWallet(randomPrivateKey()).address;
        const agent = { agentAddress, agentName: name.slice(0, 64) };
        await owner.exchange.approveAgent(agent, { confirm: 'executed' });
      }
      await visit.open('/account?tab=keys');
      await page.getByText(HOSTILE[0]!.slice(0, 64), { exact: true }).first().waitFor();
      await staysWhole(visit, '/account?tab=keys');
    },
    LONG_MS,
  );

  /**
   * Checks that none of the texts has run as a script or become an element, and that no content is
   * wider than the screen.
   */
  async function staysWhole({ page }: Visit, where: string): Promise<void> {
    const found = await page.evaluate(() => ({
      hasRun: 'hasRun' in globalThis,
      elements: document.querySelectorAll('main img, main script, main b').length,
      over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    expect([where, found]).toEqual([where, { hasRun: false, elements: 0, over: 0 }]);
  }
});
