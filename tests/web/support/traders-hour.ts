import type { Page } from 'playwright-core';
import type { SeededRandom } from '../../support/seeded.ts';
import { button, choose, size } from './terminal.ts';

/**
 * Random actions of a trader on the BTC-USDC terminal. Each action runs to completion and leaves no
 * dialog or draft behind.
 */

export type Act = {
  readonly name: string;
  /** Returns true if the account has something that the action can change. */
  readonly isPossible: (book: AccountBook) => boolean;
  readonly run: (page: Page, random: SeededRandom, book: AccountBook) => Promise<void>;
};

/** The numbers of the account's orders, positions and other items. */
export type AccountBook = {
  readonly orders: number;
  readonly triggers: number;
  readonly positions: number;
  readonly isLong: boolean;
  /** YES shares in the outcome market, and free money. */
  readonly yes: number;
  readonly no: number;
  readonly freePerp: number;
  readonly freeOutcome: number;
};

const BASE = 97_000;
const SHORT_MS = 5_000;
/** The maximum number of open orders per account. Above it, no more are placed. */
const OPEN_MAX = 20;

const canOpen = ({ orders, triggers }: AccountBook): boolean => orders + triggers < OPEN_MAX;

export const ACTS: readonly Act[] = [
  {
    name: 'a limit order',
    isPossible: canOpen,
    run: async (page, random) => {
      const isBuy = await side(page, random);
      await choose(page, 'Limit');
      const away = 50 + random.below(900);
      const price = String(isBuy ? BASE - away : BASE + away);
      await ticket(page).getByRole('textbox', { name: 'Price' }).fill(price);
      await sendSize(page, random);
    },
  },
  {
    name: 'a market order',
    isPossible: () => true,
    run: async (page, random) => {
      await side(page, random);
      await choose(page, 'Market');
      await sendSize(page, random);
    },
  },
  {
    name: 'a ladder',
    isPossible: canOpen,
    run: async (page, random) => {
      const isBuy = await side(page, random);
      await choose(page, 'Scale');
      const from = 100 + random.below(300);
      const at = (away: number): string => String(isBuy ? BASE - away : BASE + away);
      await page.getByRole('textbox', { name: 'Start price' }).fill(at(from));
      await page.getByRole('textbox', { name: 'End price' }).fill(at(from + 200));
      await page.getByRole('textbox', { name: 'Orders' }).fill('3');
      await size(page).fill('0.003');
      await send(page);
    },
  },
  {
    name: 'a stop',
    isPossible: canOpen,
    run: async (page, random) => {
      const isBuy = await side(page, random);
      await choose(page, 'Stop');
      const away = 500 + random.below(1_500);
      const at = String(isBuy ? BASE + away : BASE - away);
      await page.getByRole('textbox', { name: 'Trigger price (mark)' }).fill(at);
      await sendSize(page, random);
    },
  },
  {
    name: 'one cancelled',
    isPossible: ({ orders }) => orders > 0,
    run: async (page, random) => {
      await tab(page, 'Open orders');
      const all = button(page, /^Cancel order at/);
      await press(all.nth(random.below(await all.count())));
    },
  },
  {
    name: 'a trigger cancelled',
    isPossible: ({ triggers }) => triggers > 0,
    run: async (page, random) => {
      await tab(page, 'Conditional orders');
      const all = button(page, /^Cancel order at/);
      await press(all.nth(random.below(await all.count())));
    },
  },
  {
    name: 'one moved on the chart',
    isPossible: ({ orders }) => orders > 0,
    run: async (page, random) => {
      const lines = page.getByRole('slider', { name: /^(?:Buy|Sell|Limit)/ });
      const count = await lines.count();
      if (count === 0) return;
      const line = lines.nth(random.below(count));
      await line.press(random.below(2) === 0 ? 'Shift+ArrowDown' : 'Shift+ArrowUp', brief);
      await line.press('Enter', brief);
    },
  },
  {
    name: 'all cancelled',
    isPossible: ({ orders, triggers }) => orders + triggers > 4,
    run: async (page) => {
      await tab(page, 'Open orders');
      await press(button(page, 'Cancel all'));
      const dialog = page.getByRole('dialog');
      await press(dialog.getByRole('button', { name: /^Cancel \d+ orders?$/ }));
      await dialog.waitFor({ state: 'detached' });
    },
  },
  {
    name: 'a part closed',
    isPossible: ({ positions }) => positions > 0,
    run: async (page, random) => {
      await tab(page, 'Positions');
      await press(button(page, 'Close BTC-USDC'));
      const part = random.pick(['25%', '50%', '100%']);
      const items = page.getByRole('menuitem', { name: /^Close/ });
      await items.first().waitFor();
      await press(items.filter({ hasText: part }).or(items.first()).first());
    },
  },
  {
    name: 'exits set',
    isPossible: ({ positions }) => positions > 0,
    run: async (page, random, { isLong }) => {
      await tab(page, 'Positions');
      await press(button(page, /TP\/SL of BTC/));
      const dialog = page.getByRole('dialog');
      const away = 1_000 + random.below(1_000);
      const [up, down] = [String(BASE + away), String(BASE - away)];
      await dialog.getByRole('textbox', { name: 'TP' }).fill(isLong ? up : down);
      await dialog.getByRole('textbox', { name: 'SL' }).fill(isLong ? down : up);
      await press(dialog.getByRole('button', { name: /Set TP\/SL/ }));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  },
  {
    name: 'another screen and back',
    isPossible: () => true,
    run: async (page, random) => {
      await page
        .getByRole('link', { name: random.pick(['Portfolio', 'Markets', 'Explorer']) })
        .first()
        .click();
      await page.waitForTimeout(random.below(300));
      await page.goBack();
      await page.getByRole('form', { name: 'Order ticket' }).waitFor();
    },
  },
  {
    name: 'a reload',
    isPossible: () => true,
    run: async (page) => {
      await page.reload();
      await page.getByText(/^Max \d/).waitFor();
    },
  },
];

/** A short timeout for elements that may disappear, such as the row of an order that fills. */
const brief = { timeout: SHORT_MS };

async function press(what: ReturnType<Page['locator']>): Promise<void> {
  await what.click(brief);
}

function ticket(page: Page) {
  return page.getByRole('form', { name: 'Order ticket' });
}

async function side(page: Page, random: SeededRandom): Promise<boolean> {
  const isBuy = random.below(2) === 0;
  await page.getByRole('radio', { name: isBuy ? 'Buy / long' : 'Sell / short' }).click();
  return isBuy;
}

async function sendSize(page: Page, random: SeededRandom): Promise<void> {
  await size(page).fill(random.pick(['0.001', '0.002', '0.0015']));
  await send(page);
}

/**
 * The button's name describes what it does. If the venue or the page disables it, nothing is sent.
 */
async function send(page: Page): Promise<void> {
  const sends = ticket(page).getByRole('button', { name: /^(?:Buy|Sell) [\d.]+ BTC/ });
  if (
    (await sends.waitFor(brief).then(
      () => true,
      () => false,
    )) &&
    (await sends.isEnabled())
  ) {
    await sends.click(brief);
  }
}

export async function tab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click(brief);
}
