import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createClient, createReader, privateKeyWallet } from '@oddlot/sdk';
import type { Venue } from '../support/venue-process.ts';
import { addressOf, keyOf } from '../support/wallet.ts';
import { faultsFound } from './support/accessibility.ts';
import { injectedWallet } from './support/injected-wallet.ts';
import { OPERATED, OPERATOR_KEY } from './support/operators.ts';
import { storedKeyCount } from './support/stored-keys.ts';
import { WHO_DEPLOYS } from './support/outcome-people.ts';
import { tradeBetween, trader } from './support/trading.ts';
import { PHONE, type Visit, type VisitOptions } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { startWebVenue, WITH_PAGE } from './support/web-venue.ts';
import { workerBrowser } from './support/worker-browser.ts';

const CONFIRMED = { confirm: 'executed' } as const;
const ADMIN_KEY = OPERATOR_KEY;
const FLAGS = [...WITH_PAGE, '--no-bots', ...OPERATED];

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([startWebVenue(FLAGS), workerBrowser()]);
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

/** Opens a screen with an operator's key held in the page's memory. */
async function operating(path: string, key: `0x${string}`): Promise<Visit> {
  const visit = await browser.visit(venue.url);
  await visit.open(path);
  const { page } = visit;
  await page.getByRole('button', { name: 'Open operator key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open operator key' });
  await dialog.getByLabel('Private key').fill(key);
  await dialog.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('button', { name: 'Remove key' }).waitFor();
  return visit;
}

/** Checks that a key exists only in the page's memory. */
async function expectOnlyInMemory({ page, sent }: Visit, key: string): Promise<void> {
  const bare = key.slice(2);
  expect(JSON.stringify(sent)).not.toContain(bare);
  expect(await page.content()).not.toContain(bare);
  const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
  expect(await page.evaluate(stored)).not.toContain(bare);
  expect(await storedKeyCount(page)).toBe(0);
}

async function perpNamed(name: string) {
  const reader = createReader({ url: venue.url });
  const { universe } = await reader.info.perpMeta();
  reader.close();
  return universe.find((perp) => perp.name === name);
}

/** Makes two accounts trade a perp. A price is pushed first, because it must not be stale. */
async function tradeOnce(asset: number): Promise<void> {
  const admin = createClient({ url: venue.url, wallet: privateKeyWallet(ADMIN_KEY) });
  const [seller, buyer] = [
    await trader(venue.url, 'first seller of doge'),
    await trader(venue.url, 'first buyer of doge'),
  ];
  const prices = [{ instrumentId: asset, oraclePx: '12.5', externalPerpPx: null }];
  await admin.exchange.venueAdmin.pushOracle({ prices, time: Date.now() }, CONFIRMED);
  await tradeBetween(seller, buyer, { asset, price: '12.5', size: '3.21' });
}

test('an admin can list a perp with its first price, halt it and resume it', async () => {
  const visit = await operating('/operate?tab=perps', ADMIN_KEY);
  const { page } = visit;
  await page.getByText('admin', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'List a perp' }).click();
  const dialog = page.getByRole('dialog', { name: 'List a perp' });
  await dialog.getByRole('textbox', { name: 'Base currency' }).fill('doge');
  // The venue rejects inconsistent values. The message uses the form's own terms.
  visit.expectErrors(/status of 400/);
  await dialog.getByRole('textbox', { name: 'Tick size' }).fill('0.00001');
  await dialog.getByRole('button', { name: 'List DOGE-USDC' }).click();
  await dialog.getByText(/^Tick size must be [^.]*0\.0001[^m]*$/).waitFor();
  await dialog.getByRole('textbox', { name: 'Tick size' }).fill('0.01');
  await dialog.getByRole('textbox', { name: 'Maintenance margin' }).fill('0.2');
  await dialog.getByRole('button', { name: 'List DOGE-USDC' }).click();
  await dialog.getByText(/Invalid margin table/).waitFor();
  await dialog.getByRole('textbox', { name: 'Maintenance margin' }).fill('0.025');
  expect(await faultsFound(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'List DOGE-USDC' }).click();
  await dialog.waitFor({ state: 'hidden' });

  const row = page.getByRole('row').filter({ hasText: 'DOGE-USDC' });
  await row.getByText('trading').waitFor();
  await row.getByRole('button', { name: 'Push price of DOGE-USDC' }).click();
  const price = page.getByRole('dialog', { name: 'Push oracle price of DOGE-USDC' });
  await price.getByRole('textbox', { name: 'Oracle price' }).fill('12.5');
  await price.getByRole('button', { name: 'Push 12.5' }).click();
  await price.waitFor({ state: 'hidden' });

  // A new visitor sees the perp's first trades.
  const { index } = (await perpNamed('DOGE-USDC'))!;
  const trading = await visiting('/trade/DOGE-USDC');
  await trading
    .getByText(/^12\.50?$/)
    .first()
    .waitFor();
  await tradeOnce(index);
  await trading.getByText('3.21', { exact: true }).first().waitFor();

  // A double click only asks for confirmation. It takes another press to halt the market.
  await row.getByRole('button', { name: 'Halt DOGE-USDC' }).dblclick({ delay: 10 });
  await row.getByRole('button', { name: 'Halt DOGE-USDC now' }).click();
  await row.getByText('halted').waitFor();
  await page.getByText('DOGE-USDC halted').first().waitFor();
  expect(await perpNamed('DOGE-USDC')).toMatchObject({ haltTrading: true });
  await row.getByRole('button', { name: 'Resume DOGE-USDC' }).click();
  await row.getByText('trading').waitFor();
  expect(await perpNamed('DOGE-USDC')).toMatchObject({ haltTrading: false });
  // A double click only asks for confirmation, and another market's name is not accepted.
  await row.getByRole('button', { name: 'Delist DOGE-USDC' }).dblclick({ delay: 10 });
  const delist = page.getByRole('dialog', { name: 'Delist DOGE-USDC' });
  await delist.getByText('3.21 DOGE, 40.13 USDC').waitFor();
  await delist.getByText('Closes in one hour').waitFor();
  const confirm = delist.getByRole('button', { name: 'Delist DOGE-USDC permanently' });
  await delist.getByRole('textbox', { name: 'Type DOGE-USDC to confirm' }).fill('BTC-USDC');
  await page.waitForTimeout(1_000);
  expect(await confirm.isDisabled()).toBe(true);
  expect(await perpNamed('DOGE-USDC')).toMatchObject({ delisted: false });
  expect(await faultsFound(page)).toEqual([]);
  await delist.getByRole('textbox', { name: 'Type DOGE-USDC to confirm' }).fill('doge-usdc');
  await confirm.click();
  await delist.waitFor({ state: 'hidden' });
  await row.getByText(/^closing until \d\d:\d\d$/).waitFor();
  expect(await row.getByRole('button', { name: 'Delist' }).count()).toBe(0);
  await expectOnlyInMemory(visit, ADMIN_KEY);
  await page.getByRole('button', { name: 'Remove key' }).click();
  await page.getByText('Changes require an admin key.').waitFor();
});

async function phaseOf(question: string): Promise<string | undefined> {
  const reader = createReader({ url: venue.url });
  const { events } = await reader.info.outcomeMeta({ status: 'all', limit: 50 });
  reader.close();
  return events.flatMap(({ markets }) => markets).find((market) => market.question === question)
    ?.phase;
}

test('a deployer can create events and resolve them with evidence, which other visitors see as plain text', async () => {
  const { page } = await operating('/operate?tab=events', WHO_DEPLOYS);
  await page.getByRole('button', { name: 'Create event' }).click();
  const form = page.getByRole('dialog', { name: 'Create event' });
  const question = 'Is <img src=x onerror=alert(1)> {{count}} an image?';
  const title = '<script>alert(1)</script>';
  await form.getByRole('textbox', { name: 'Event title' }).fill(title);
  await form.getByRole('textbox', { name: 'Question' }).fill(question);
  await form.getByLabel('Closes at (UTC)').fill('2099-01-01T00:00');
  await form.getByRole('button', { name: 'Create and open' }).click();
  await form.waitFor({ state: 'hidden' });

  const row = page.getByRole('row').filter({ hasText: question });
  await row.getByText('open', { exact: true }).waitFor();
  const slug = await row.getByRole('link', { name: question }).getAttribute('href');
  const other = await visiting(slug!);
  await other.getByRole('heading', { name: title }).first().waitFor();

  // The buttons have distinct accessible names.
  await row.getByRole('button', { name: `Halt: ${question}` }).click();
  await row.getByRole('button', { name: `Halt now: ${question}` }).click();
  await row.getByText('halted', { exact: true }).waitFor();
  await row.getByRole('button', { name: `Open: ${question}` }).click();
  await row.getByText('open', { exact: true }).waitFor();
  // A double click only asks for confirmation.
  await row.getByRole('button', { name: `Close: ${question}` }).dblclick({ delay: 10 });
  const closing = page.getByRole('dialog', { name: 'Close market permanently' });
  await closing.getByText(question).waitFor();
  await closing.getByText('0 share pairs').waitFor();
  expect(await phaseOf(question)).toBe('open');
  expect(await faultsFound(page)).toEqual([]);
  await closing.getByRole('button', { name: 'Close permanently' }).click();
  await row.getByRole('button', { name: `Resolve: ${question}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve market' });
  await dialog.getByText(question).waitFor();
  await dialog.getByRole('radio', { name: 'Partial' }).click();
  await dialog.getByRole('textbox', { name: 'Payout per Yes share' }).fill('1.5');
  const send = dialog.getByRole('button', { name: 'Enter a payout from 0 to 1' });
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByRole('radio', { name: 'No', exact: true }).click();
  const unsaid = dialog.getByRole('button', { name: 'Enter the evidence' });
  expect(await unsaid.isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: /^Evidence/ }).fill('It is text: <b>see</b>');
  expect(await faultsFound(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Resolve permanently: Yes pays 0, No 1' }).click();
  await row.getByText('resolved', { exact: true }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);

  // The page that stayed open shows the result and its resolution record.
  await other.getByText('It is text: <b>see</b>').first().waitFor();
  expect(await other.locator('main img').count()).toBe(0);
  const { events } = await createReader({ url: venue.url }).info.outcomeMeta({
    status: 'resolved',
  });
  expect(events[0]?.markets[0]?.settlement).toMatchObject({
    winning_outcome: 'No',
    settlement_fraction: '0',
  });
});

test('a set of markets of which exactly one wins is created in a single step', async () => {
  const { page } = await operating('/operate?tab=events', WHO_DEPLOYS);
  await page.getByRole('button', { name: 'Create event' }).click();
  const form = page.getByRole('dialog', { name: 'Create event' });
  await form.getByRole('textbox', { name: 'Event title' }).fill('Who wins the derby?');
  await form.getByLabel('Closes at (UTC)').fill('2099-01-01T00:00');
  await form.getByRole('button', { name: 'Add market' }).click();
  for (const [index, name] of ['Heron', 'Gannet'].entries()) {
    await form.getByRole('textbox', { name: 'Short name' }).nth(index).fill(name);
    const question = form.getByRole('textbox', { name: 'Question' }).nth(index);
    await question.fill(`Does ${name} win?`);
  }
  await form.getByRole('button', { name: 'Create and open' }).click();
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('row').filter({ hasText: 'Does Gannet win?' }).waitFor();
  const reader = createReader({ url: venue.url });
  const { events } = await reader.info.outcomeMeta({ sortBy: 'newest', limit: 1 });
  reader.close();
  expect(events).toMatchObject([{ mutually_exclusive: true, markets: [{}, {}] }]);
});

async function gateModes(): Promise<readonly string[]> {
  const reader = createReader({ url: venue.url });
  const { gates } = await reader.info.venueStatus();
  reader.close();
  return gates.map(({ mode }) => mode);
}

test("a gate's mode can be selected with the pointer or the keyboard and is sent after a confirmation", async () => {
  const { page } = await operating('/operate?tab=gates', ADMIN_KEY);
  const gate = page.getByRole('region', { name: 'Perps' });
  await gate.getByRole('radio', { name: 'Open', exact: true }).focus();
  for (const mode of ['Whitelist', 'Access code', 'Closed']) {
    await page.keyboard.press('ArrowRight');
    await gate.getByRole('radio', { name: mode, exact: true, checked: true }).waitFor();
  }
  await page.keyboard.press('ArrowLeft');
  await gate.getByRole('radio', { name: 'Access code', exact: true, checked: true }).waitFor();
  await gate.getByRole('radio', { name: 'Closed', exact: true }).click();
  await gate.getByText('Current: Open. Not changed yet.').waitFor();
  await gate.getByRole('button', { name: 'Close perps to new positions' }).dblclick({ delay: 10 });
  const dialog = page.getByRole('dialog', { name: 'Close perps to new positions' });
  await dialog.getByText('Accounts cannot open or increase positions.').waitFor();
  expect(await gateModes()).toEqual(['open', 'open']);
  expect(await faultsFound(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close perps to new positions' }).click();
  await page.getByText('Perps: closed to new positions').first().waitFor();
  expect(await gateModes()).toEqual(['closed', 'open']);
  await gate.getByRole('radio', { name: 'Open', exact: true }).click();
  await gate.getByRole('button', { name: 'Open perps to everyone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open perps to everyone' }).click();
  await page.getByText('Perps: open to everyone').first().waitFor();
  expect(await gateModes()).toEqual(['open', 'open']);
});

test("an admin can edit a gate's lists and replace the fee schedule", async () => {
  const visit = await operating('/operate?tab=gates', ADMIN_KEY);
  const { page } = visit;
  const gate = page.getByRole('region', { name: 'Outcome markets' });
  const [listed, zero] = [addressOf(keyOf('somebody listed')), `0x${'0'.repeat(40)}`];
  const person = gate.getByRole('textbox', { name: 'Address' });
  const [add, remove] = [
    gate.getByRole('button', { name: 'Add', exact: true }),
    gate.getByRole('button', { name: 'Remove', exact: true }),
  ];
  await person.fill(zero);
  await gate.getByText('The zero address cannot be used.').waitFor();
  expect(await add.isDisabled()).toBe(true);
  await person.fill(listed);
  await gate.getByText('Not on the list.').waitFor();
  expect(await remove.isDisabled()).toBe(true);
  await add.click();
  await page
    .getByText(/^0x.* added to the whitelist$/)
    .first()
    .waitFor();
  await gate.getByRole('list', { name: 'Entries of Whitelist' }).getByText(listed).waitFor();
  await person.fill(listed);
  await gate.getByText('Already on the list.').waitFor();
  expect(await add.isDisabled()).toBe(true);
  await remove.click();
  await page
    .getByText(/^0x.* removed from the whitelist$/)
    .first()
    .waitFor();
  await gate.getByText('The list is empty.').waitFor();
  await gate.getByRole('radio', { name: 'Codes 0' }).click();
  await gate.getByRole('textbox', { name: 'Access code' }).fill('WHISPER-7');
  await gate.getByRole('button', { name: 'Add code' }).click();
  await gate.getByRole('radio', { name: 'Invites 0' }).click();
  await gate.getByRole('textbox', { name: 'Address' }).fill(addressOf(ADMIN_KEY));
  await gate.getByRole('textbox', { name: 'Access code' }).fill('WHISPER-8');
  visit.expectErrors(/status of 400/);
  await gate.getByRole('button', { name: 'Invite', exact: true }).click();
  await gate.getByText(/is not a code of this gate/).waitFor();
  await gate.getByRole('textbox', { name: 'Access code' }).fill('WHISPER-7');
  await gate.getByRole('button', { name: 'Invite', exact: true }).click();
  await gate.getByRole('radio', { name: 'Invites 1' }).waitFor();
  expect(await faultsFound(page)).toEqual([]);

  await page.getByRole('tab', { name: 'Fees' }).click();
  await page.getByRole('button', { name: 'Edit fee schedule' }).click();
  const first = page.getByRole('group', { name: 'Tier 0' });
  const taker = first.getByRole('textbox', { name: 'Taker' });
  // The values are percentages, as in the table. Implausible values are not sent.
  expect(await taker.inputValue()).toBe('0.045');
  const replace = page.getByRole('button', { name: 'Replace fee schedule' });
  expect(await replace.isDisabled()).toBe(true);
  await taker.fill('4.5');
  await first.getByText(/^Max 1%/).waitFor();
  expect(await replace.isDisabled()).toBe(true);
  await taker.fill('0.05');
  await replace.click();
  const ladder = page.getByRole('dialog', { name: 'Replace fee schedule' });
  await ladder.getByText(/^Tier 0: taker 0\.045% → 0\.05%$/).waitFor();
  await ladder.getByRole('button', { name: 'Replace for all accounts' }).click();
  await page.getByRole('button', { name: 'Edit fee schedule' }).waitFor();
  await page.getByRole('group', { name: 'Fees' }).getByText('0.0500').first().waitFor();

  // The explorer shows the action, but none of its codes.
  await page.goto(`${venue.url}/explorer/address/${addressOf(ADMIN_KEY)}`);
  const reader = createReader({ url: venue.url });
  const blocks = await reader.info.blocks({ limit: 40 });
  const busy = blocks.filter(({ numTxs }) => numTxs > 0);
  const found = await Promise.all(busy.map(({ height }) => reader.info.block({ height })));
  const txs = found.flatMap((block) => block.txs).filter(({ error }) => error === null);
  const details = await Promise.all(txs.map(({ hash }) => reader.info.tx({ txHash: hash })));
  reader.close();
  const granting = details.find(({ action }) => JSON.stringify(action).includes('"grants"'))!;
  await page.goto(`${venue.url}/explorer/tx/${granting.hash}`);
  await page.getByText('Access to outcome markets, invites: 1 added, 0 removed').waitFor();
  expect(await page.content()).not.toContain('WHISPER');
});

test("visitors without permission see the venue's status and the reason, but no buttons", async () => {
  const page = await visiting('/operate', { viewport: PHONE });
  await page.getByText(/^View only/).waitFor();
  await page.getByText('ready to trade').waitFor();
  await page.getByText('Insurance fund').waitFor();
  await page.getByText('No settlement chain: test funds only.').waitFor();
  await page.getByRole('group', { name: 'Oracle prices' }).getByText('BTC-USDC').waitFor();
  expect(await faultsFound(page)).toEqual([]);
  for (const tab of ['Perps', 'Events', 'Fees', 'Operators']) {
    await page.getByRole('tab', { name: tab }).click();
    const panel = page.getByRole('tabpanel', { name: tab });
    await panel.getByText(/requires? an? (?:admin|deployer) key/).waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
  }
  expect(await faultsFound(page)).toEqual([]);
});

test('a wallet on another chain sees the reason why it cannot operate', async () => {
  const page = await visiting('/operate?tab=perps', { wallet: injectedWallet(ADMIN_KEY) });
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet <b>' }).click();
  await page.getByText(/^Your wallet signs only for chain 421614/).waitFor();
  expect(await page.getByRole('button', { name: 'List a perp' }).count()).toBe(0);
  // Some numbers are not valid keys, and a valid key may belong to an account without operator
  // rights.
  await page.getByRole('button', { name: 'Open operator key' }).click();
  await page.getByLabel('Private key').fill(`0x${'0'.repeat(64)}`);
  await page.getByText('This is not a valid private key.').waitFor();
  await page.getByLabel('Private key').fill(keyOf('not an operator'));
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText(/is not an operator/).waitFor();
});

test('a typed key is never sent or stored, and is gone after a reload', async () => {
  const visit = await operating('/operate?tab=operators', ADMIN_KEY);
  const { page } = visit;
  // The key did sign: the venue rejects the removal of the last admin with a message.
  const admins = page.getByRole('region', { name: 'Admins' });
  const own = admins.getByRole('listitem').filter({ hasText: addressOf(ADMIN_KEY) });
  visit.expectErrors(/status of 400/);
  await own.getByRole('button', { name: `Remove ${addressOf(ADMIN_KEY)}` }).click();
  const leaving = page.getByRole('dialog', { name: 'Remove admin' });
  await leaving.getByText(/^This is your own key\./).waitFor();
  await leaving.getByRole('button', { name: 'Remove now' }).click();
  await leaving.getByRole('alert').waitFor();
  await expectOnlyInMemory(visit, ADMIN_KEY);
  await page.reload();
  await page.getByRole('button', { name: 'Open operator key' }).waitFor();
  await page.getByText('Changes require an admin key.').waitFor();
  expect(await admins.getByRole('button').count()).toBe(0);
  await expectOnlyInMemory(visit, ADMIN_KEY);
});
