import { afterEach, beforeAll, expect, test } from 'vitest';
import { post } from '../support/chain.ts';
import { keyOf } from '../support/wallet.ts';
import type { Venue } from '../support/venue-process.ts';
import { faultsFound } from './support/accessibility.ts';
import { injectedWallet } from './support/injected-wallet.ts';
import { storedKeys } from './support/stored-keys.ts';
import type { TestAccount } from './support/test-account.ts';
import { ownerOf } from './support/trading.ts';
import { PHONE, type VisitOptions, type Visit } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

/** Opens the keys screen for a visitor with a test account. */
async function atKeys(options?: VisitOptions): Promise<Visit & { account: TestAccount }> {
  const visit = await browser.visit(venue.url, options);
  const account = await visit.openWithAccount('/account?tab=keys');
  await visit.page.getByRole('row', { name: /this browser/ }).waitFor();
  return Object.assign(visit, { account });
}

const info = async (body: object) => (await post(venue.url, '/info', body)).data;

test('an agent can be revoked and its key removed from the browser, and another agent can be approved', async () => {
  const { page } = await atKeys();
  const user = (await page.locator('h1 ~ span code').textContent())!;
  expect(await info({ type: 'approvedAgents', user })).toHaveLength(1);
  expect(await storedKeys(page)).toHaveLength(2);
  expect(await faultsFound(page)).toEqual([]);

  const agent = page.getByRole('row', { name: /this browser/ });
  // The first press asks for confirmation, and the second one revokes the agent.
  await agent.getByRole('button', { name: 'Revoke' }).click();
  await agent.getByRole('button', { name: 'Confirm revoke' }).click();
  await page.getByText('No approved agents').waitFor();
  expect(await info({ type: 'approvedAgents', user })).toEqual([]);
  expect(await storedKeys(page)).toHaveLength(1);

  await page.getByRole('button', { name: 'Enable trading' }).click();
  await agent.waitFor();
  expect(await info({ type: 'approvedAgents', user })).toHaveLength(1);
});

test("an agent's name is shown as plain text and cannot change the text direction", async () => {
  const { account, page } = await atKeys();
  const { address: user, owner } = account;
  const names = ['<img src=x>', '\u202eneves', `${'\u200b'.repeat(3)}thin`];
  for (const [at, agentName] of names.entries()) {
    const agentAddress = injectedWallet(keyOf(`hostile agent ${at}`)).address;
    await owner.exchange.approveAgent({ agentAddress, agentName }, { confirm: 'executed' });
  }
  await page.reload();
  // The page does not show characters that change the text direction.
  for (const name of names) {
    await page.locator('bdi', { hasText: name.replace('\u202e', '') }).waitFor();
  }
  expect(await page.locator('main img').count()).toBe(0);
  // A right-to-left name must not affect the order of the columns after it.
  const columns = await page.evaluate(() =>
    [...document.querySelectorAll('tbody tr')].map((row) =>
      Math.round(row.querySelector('td:nth-child(2)')!.getBoundingClientRect().left),
    ),
  );
  expect(new Set(columns).size).toBe(1);
  // The page shows names without direction characters, but revokes agents by their exact label.
  for (const shown of ['<img src=x>', 'neves']) {
    await page.getByRole('row', { name: shown }).getByRole('button').click();
    await page.getByRole('button', { name: 'Confirm revoke' }).click();
    await page.locator('bdi', { hasText: shown }).waitFor({ state: 'detached' });
  }
  expect(await info({ type: 'approvedAgents', user })).toHaveLength(2);
});

test('the terminal reports that its agent was revoked in another tab and offers to enable trading again', async () => {
  const { page } = await atKeys();
  const user = (await page.locator('h1 ~ span code').textContent())!;
  const terminal = await page.context().newPage();
  await terminal.goto(`${venue.url}/trade/BTC-USDC`);
  const ticket = terminal.getByRole('form', { name: 'Order ticket' });
  const order = async (): Promise<void> => {
    await ticket.getByLabel('Price', { exact: true }).fill('90000');
    await ticket.getByLabel('Size', { exact: true }).fill('.001');
    await ticket.getByRole('button', { name: /^Buy 0\.001 BTC at 90,000/ }).click();
  };
  await order();
  await terminal.getByRole('tab', { name: 'Open orders 1' }).waitFor();

  const agent = page.getByRole('row', { name: /this browser/ });
  await agent.getByRole('button', { name: 'Revoke' }).click();
  await agent.getByRole('button', { name: 'Confirm revoke' }).click();
  await page.getByText('No approved agents').waitFor();
  await order();
  await terminal
    .getByText(/trading key was revoked/)
    .first()
    .waitFor();
  await ticket.getByRole('button', { name: 'Enable trading' }).waitFor();

  // After a reload, the ticket shows the same message. Resting orders cannot be cancelled here, and
  // the page says so next to them.
  await terminal.reload();
  await ticket.getByRole('button', { name: 'Enable trading' }).waitFor();
  await terminal.getByRole('tab', { name: 'Open orders 1' }).click();
  const note = terminal
    .getByRole('status')
    .filter({ hasText: 'has no trading key for the account' });
  await note.getByRole('button', { name: 'Enable trading' }).click();
  await note.waitFor({ state: 'detached' });
  expect(await info({ type: 'approvedAgents', user })).toHaveLength(1);
  await order();
  await terminal.getByRole('tab', { name: 'Open orders 2' }).waitFor();
});

test('once an agent is revoked elsewhere, the page offers no more trades and does not repeat the first steps', async () => {
  const { page } = await browser.visit(venue.url);
  await page.goto(venue.url);
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByText('Your test account is ready').waitFor();
  await page.getByRole('link', { name: 'Trade BTC-USDC' }).click();
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  await ticket.getByLabel('Size', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^0x/ }).click();
  await page.getByRole('menuitem', { name: 'Copy address' }).click();
  const user = await page.evaluate(() => navigator.clipboard.readText());
  const owner = await ownerOf(page, venue.url, user);
  const revoked = { agentAddress: `0x${'0'.repeat(40)}`, agentName: 'this browser' };
  await owner.exchange.approveAgent(revoked, { confirm: 'executed' });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await ticket.getByRole('button', { name: 'Enable trading' }).waitFor();
  expect(await ticket.getByText('✓').count()).toBe(0);
});

test('a builder can be approved up to a maximum rate, and revoked', async () => {
  const { page } = await atKeys();
  const user = (await page.locator('h1 ~ span code').textContent())!;
  const builder = injectedWallet(keyOf('page builder')).address;
  await page.getByRole('textbox', { name: 'Builder' }).fill(builder);
  const rate = page.getByRole('textbox', { name: 'Max rate' });
  await rate.fill('5');
  await page.getByRole('button', { name: 'Approve' }).click();
  // The page rejects a rate above the maximum with a message, and sends nothing.
  await page.getByRole('alert').getByText(/5%/).waitFor();
  await rate.fill('0.05');
  await page.getByRole('button', { name: 'Approve' }).click();
  const row = page.getByRole('row', { name: /0\.05%/ });
  await row.waitFor();
  expect(await info({ type: 'approvedBuilders', user })).toMatchObject([{ builder }]);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Confirm revoke' }).click();
  await page.getByText('No approved builders').waitFor();
  expect(await info({ type: 'approvedBuilders', user })).toEqual([]);
});

test("on a phone a test account's key can be exported and erased", async () => {
  const visit = await atKeys({ viewport: PHONE });
  const { page } = visit;
  // This table also marks this browser's agent, with its address.
  const agent = page.getByRole('row', { name: /this browser/ });
  await agent.getByText('current', { exact: true }).filter({ visible: true }).waitFor();
  await agent
    .getByText(/^0x\w{4}…\w{4}$/)
    .filter({ visible: true })
    .waitFor();
  const [key] = (await storedKeys(page)).filter((each) => each.startsWith('0x'));
  const shows = async (): Promise<boolean[]> => {
    const text = await page.content();
    return (await storedKeys(page)).map((each) => text.includes(each.slice(2)));
  };
  await page.getByRole('button', { name: 'Export key' }).click();
  const dialog = page.getByRole('dialog');
  // Both keys are hidden until requested, and only one can be shown at a time.
  expect(await shows()).toEqual([false, false]);
  await dialog.getByRole('button', { name: 'Show key' }).click();
  const shown = await dialog.locator('code').textContent();
  expect(await storedKeys(page)).toContain(shown);
  expect(key).toBeDefined();
  expect((await shows()).filter(Boolean)).toHaveLength(1);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await shows()).toEqual([false, false]);

  // The other tab holds the keys in memory.
  const other = await page.context().newPage();
  await other.goto(`${venue.url}/account`);
  await other.getByRole('tab', { name: 'Funds' }).waitFor();

  await page.getByRole('button', { name: 'Erase keys' }).click();
  const erase = dialog.getByRole('button', { name: 'Erase permanently' });
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox').click();
  await erase.click();
  await page.getByText('No account connected in this browser').waitFor();
  await other.getByText('No account connected in this browser').waitFor();
  expect(await storedKeys(page)).toEqual([]);
  await page.reload();
  await page.getByText('No account connected in this browser').waitFor();
  expect(visit.sent.some(({ body }) => body.includes(shown!.slice(2)))).toBe(false);
});

test('preferences change the page immediately and survive a reload', async () => {
  const visit = await atKeys();
  const { page } = visit;
  await page.getByRole('tab', { name: 'Preferences' }).click();
  await page.getByRole('radio', { name: 'Light' }).click();
  await page.getByRole('radio', { name: 'Blue and orange' }).click();
  await page.reload();
  await page.getByRole('tab', { name: 'Preferences', selected: true }).waitFor();
  const look = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  expect(look).toMatchObject({ theme: 'light', sides: 'blue-orange' });
});

test('an account is converted to multi-sig after a warning, and its own key can no longer sign', async () => {
  const { account, page } = await atKeys();
  const { address: user, owner } = account;
  const [ann, ben] = ['ann of the club', 'ben of the club'].map(
    (name) => injectedWallet(keyOf(name)).address,
  );
  await page.getByRole('button', { name: 'Convert to multi-sig' }).click();
  const dialog = page.getByRole('dialog', { name: 'Convert to multi-sig' });
  await dialog.getByText(/^The account's key stops working/).waitFor();
  await dialog.getByRole('textbox', { name: 'Signer 1' }).fill(user);
  await dialog.getByText('The account cannot be its own signer').waitFor();
  await dialog.getByRole('textbox', { name: 'Signer 1' }).fill(ann!);
  await dialog.getByRole('textbox', { name: 'Signer 2' }).fill(ann!);
  await dialog.getByText('Already added').waitFor();
  await dialog.getByRole('textbox', { name: 'Signer 2' }).fill(ben!);
  expect(await faultsFound(page)).toEqual([]);
  // The button stays disabled until the user ticks the confirmation.
  const button = dialog.getByRole('button', { name: 'Convert: 2 of 2 must sign' });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox').click();
  await button.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('2 of 2 signers must sign:').waitFor();
  await page.getByText('No approved agents').waitFor();
  const signers = {
    authorizedUsers: [ann, ben].map((each) => each!.toLowerCase()).sort(),
    threshold: 2,
  };
  expect(await info({ type: 'multiSigSigners', user })).toEqual(signers);
  await expect(
    owner.exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '1' }),
  ).rejects.toThrow(/Multi-sig account requires a multiSig payload/);
});

test('the page works even if its stored keys are unreadable', async () => {
  const { page } = await atKeys();
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('oddlot-keys');
        opening.addEventListener('success', () => {
          const writing = opening.result.transaction('entries', 'readwrite');
          const store = writing.objectStore('entries');
          for (const name of ['device', 'burner']) store.put('junk', name);
          writing.addEventListener('complete', () => resolve());
          writing.addEventListener('error', () => reject(writing.error!));
        });
      }),
  );
  await page.reload();
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByRole('row', { name: /this browser/ }).waitFor();
  // After a reload, newly stored keys are found.
  await page.reload();
  await page.getByRole('row', { name: /this browser/ }).waitFor();
});

test('if the browser denies all storage, an account lasts only as long as the page', async () => {
  const denied = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  const script = `(() => {
    const denied = ${denied.toString()};
    Object.defineProperty(globalThis, 'localStorage', { get: denied });
    IDBFactory.prototype.open = denied;
  })()`;
  const visit = await browser.visit(venue.url, { script });
  const { page } = visit;
  await visit.open('/account?tab=keys');
  await page.getByRole('button', { name: 'Trade with a test account' }).click();
  await page.getByRole('row', { name: /this browser/ }).waitFor();
  await page.getByText(/^This browser cannot store keys for this page/).waitFor();
  await page.getByRole('link', { name: 'Trade' }).first().click();
  await page.getByRole('button', { name: 'Enter a price' }).waitFor();
});
