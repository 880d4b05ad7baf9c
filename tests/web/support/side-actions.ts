import type { Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SeededRandom } from '../../support/seeded.ts';
import type { Listed } from './outcome-people.ts';
import type { AccountBook, Act } from './traders-hour.ts';

/**
 * Random actions of a trader outside the terminal: trades of outcome shares, and transfers. Each
 * action must take effect at the venue, is compared on its screen, and ends on the terminal.
 */

type Errands = {
  readonly owner: Client;
  readonly user: string;
  readonly market: Listed;
  /** The recipient of transfers. */
  readonly friend: string;
};

/** The maximum number of shares of an outcome. The actions buy no more above it. */
const SHARES_MAX = 60;
/** The market's smallest order, in shares, and the money it requires. */
const ORDER_MIN = 5;
const MONEY_MIN = 10;
const BRIEF = { timeout: 20_000 };
const SETTLES = { timeout: 60_000, interval: 250 };

export function sideActionsOf(errands: Errands): readonly Act[] {
  const errand = (
    name: string,
    isPossible: Act['isPossible'],
    { path, trade, count, differ }: Errand,
  ): Act => ({
    name,
    isPossible,
    run: async (page, random, book) => {
      const until = { ...SETTLES, message: name };
      try {
        await page.goto(new URL(path, page.url()).href);
        const before = await count(errands);
        await trade(page, random, book);
        await expect.poll(() => count(errands), until).not.toEqual(before);
      } catch (cause) {
        // Nothing on these screens disappears automatically, so a button that cannot be pressed is
        // an error.
        const where = (await page.getByRole('main').innerText()).slice(0, 1_500);
        throw new Error(`${name} on ${page.url()}: ${String(cause)}\n${where}`, { cause });
      }
      await expect.poll(() => differ(page, errands), until).toEqual([]);
      await page.goto(new URL('/trade/BTC-USDC', page.url()).href);
      await page.getByText(/^Max \d/).waitFor();
    },
  });
  const atEvent = (name: string, isPossible: Act['isPossible'], trade: Trade): Act => {
    const path = `/events/${errands.market.eventSlug}`;
    return errand(name, isPossible, { path, trade, count: sharesHeld, differ: sharesDiffer });
  };
  const ofMoney = (name: string, isPossible: Act['isPossible'], trade: Trade): Act => {
    const path = '/account?tab=money&do=transfer';
    return errand(name, isPossible, { path, trade, count: ledgerLength, differ: moneyDiffers });
  };
  return [
    atEvent(
      'shares bought',
      ({ freePerp, no, yes }) => freePerp > MONEY_MIN && yes + no < SHARES_MAX,
      async (page, random) => {
        const leg = random.pick(['Yes', 'No']);
        await radio(page, new RegExp(`^${leg}`));
        await page.getByLabel('Amount').fill(String(4 + random.below(5)));
        await withMoney(page, new RegExp(`^Buy [\\d.]+ ${leg} for`));
      },
    ),
    atEvent(
      'shares sold',
      ({ no, yes }) => Math.max(yes, no) >= ORDER_MIN,
      async (page, _chance, { no, yes }) => {
        const held = shares(page)
          .getByRole('paragraph')
          .filter({ hasText: yes >= no ? 'Yes at' : 'No at' });
        await held.getByRole('button', { name: /^Sell at/ }).click(BRIEF);
        await page.getByRole('button', { name: /^Max / }).click(BRIEF);
        await page.getByRole('button', { name: /^Sell [\d.]+ (?:Yes|No) for/ }).click(BRIEF);
      },
    ),
    atEvent(
      'pairs split',
      ({ freePerp, no, yes }) => freePerp > MONEY_MIN && yes + no < SHARES_MAX,
      async (page, random) => {
        await radio(page, 'Split');
        await page.getByLabel('Pairs').fill(String(1 + random.below(5)));
        await withMoney(page, /^Split [\d.]+ USDC into pairs/);
      },
    ),
    atEvent(
      'pairs merged',
      ({ no, yes }) => Math.min(no, yes) >= 1,
      async (page) => {
        await radio(page, 'Merge');
        await page.getByLabel('Pairs').fill('1');
        await page.getByRole('button', { name: /^Merge 1 pairs? into USDC/ }).click(BRIEF);
      },
    ),
    ofMoney(
      'money for outcomes',
      ({ freePerp }) => freePerp > MONEY_MIN,
      (page, random) => transfer(page, random, 'Perpetuals → Outcomes'),
    ),
    ofMoney(
      'money for perpetuals',
      ({ freeOutcome }) => freeOutcome > MONEY_MIN,
      (page, random) => transfer(page, random, 'Outcomes → Perpetuals'),
    ),
    ofMoney(
      'money sent',
      ({ freePerp }) => freePerp > MONEY_MIN,
      async (page, random) => {
        await radio(page, 'To another account');
        await page.getByRole('textbox', { name: 'Recipient address' }).fill(errands.friend);
        await page.getByRole('textbox', { name: 'Amount' }).fill(amountOf(random));
        await page.getByRole('button', { name: /^Send [\d.]+ to 0x/ }).click(BRIEF);
      },
    ),
  ];
}

type Errand = {
  readonly path: string;
  readonly trade: Trade;
  /** Returns the value at the venue that the action must change. */
  readonly count: (errands: Errands) => Promise<unknown>;
  /** Returns the differences between the page and the venue. */
  readonly differ: (page: Page, errands: Errands) => Promise<string[]>;
};

type Trade = (page: Page, random: SeededRandom, book: AccountBook) => Promise<void>;

const shares = (page: Page) => page.getByRole('region', { name: 'Your shares' });

async function radio(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('radio', { name }).first().click(BRIEF);
}

/** Presses the button. If money is missing, it is first transferred from the other sub-account. */
async function withMoney(page: Page, name: RegExp): Promise<void> {
  const done = page.getByRole('button', { name });
  const move = page.getByRole('button', { name: /^Transfer [\d.,]+ USDC$/ });
  await done.or(move).first().waitFor(BRIEF);
  if (await move.isVisible()) await move.click(BRIEF);
  await done.click(BRIEF);
}

async function transfer(page: Page, random: SeededRandom, way: string): Promise<void> {
  await radio(page, way);
  await page.getByRole('textbox', { name: 'Amount' }).fill(amountOf(random));
  await page.getByRole('button', { name: /^Transfer [\d.]+ USDC$/ }).click(BRIEF);
}

function amountOf(random: SeededRandom): string {
  return `${1 + random.below(4)}.${random.below(10)}5`;
}

/**
 * Returns the account's positions in the market as the venue reports them, for example `12.5 Yes at
 * 46.0`.
 */
async function sharesHeld({ market, owner: { info }, user }: Errands): Promise<string[]> {
  const rows = await info.outcomePositions({ user, instrumentIds: [market.id] });
  return rows.map(({ position: { entryPx, szi } }) => {
    const leg = szi.startsWith('-') ? 'No' : 'Yes';
    return `${Number(szi.replace('-', ''))} ${leg} at ${(Number(entryPx) * 100).toFixed(1)}`;
  });
}

async function sharesDiffer(page: Page, errands: Errands): Promise<string[]> {
  const region = shares(page);
  // The region disappears along with the last share, so the test must not wait for it.
  const [text = ''] = await region.allInnerTexts();
  const found = [...text.replaceAll(',', '').matchAll(/([\d.]+) (Yes|No) at ([\d.]+)¢/g)];
  const shown = found.map(([, size, leg, price]) => `${Number(size)} ${leg} at ${price}`);
  const wanted = await sharesHeld(errands);
  const isSame = JSON.stringify(shown.toSorted()) === JSON.stringify(wanted.toSorted());
  return isSame ? [] : [`shares ${shown.join(', ')}; the venue says ${wanted.join(', ')}`];
}

async function ledgerLength({ owner: { info }, user }: Errands): Promise<number> {
  return (await info.userNonFundingLedgerUpdates({ user, limit: 2_000 })).length;
}

/** Compares the values of both sub-accounts and their free balances. */
async function moneyDiffers(page: Page, { owner: { info }, user }: Errands): Promise<string[]> {
  const text = (await page.locator('dl').first().innerText()).replaceAll(',', '');
  const found: string[] = [];
  for (const [name, accountType] of [
    ['Perpetuals', 'perp'],
    ['Outcomes', 'outcome'],
  ] as const) {
    const { marginSummary, withdrawable } = await info.clearinghouseState({ user, accountType });
    const [, value, free] =
      new RegExp(`${name}\\s+([\\d.]+)\\sUSDC\\s+([\\d.]+) available`).exec(text) ?? [];
    const isNear = near(value, marginSummary.accountValue) && near(free, withdrawable);
    const wanted = `${marginSummary.accountValue}, ${withdrawable} available`;
    if (!isNear) found.push(`${name} ${value}, ${free} free; the venue says ${wanted}`);
  }
  return found;
}

/** Returns true if the values agree within a cent plus one step of a moving mark. */
function near(shown: string | undefined, expected: string): boolean {
  return Math.abs(Number(shown) - Number(expected)) < 0.02;
}
