import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { quoteMarket } from './market-maker.ts';

/** What a person does on the terminal, by the names that it shows. */

export function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: typeof name === 'string' });
}

export function size(page: Page) {
  return page.getByRole('form', { name: 'Order ticket' }).getByRole('textbox', { name: 'Size' });
}

export function position(page: Page) {
  return page.getByRole('row', { name: /BTC-USDC/ });
}

export function exits(page: Page) {
  return button(page, /Take profit and stop loss of BTC/);
}

export async function choose(page: Page, kind: string): Promise<void> {
  await page.getByRole('radio', { name: kind, exact: true }).click();
}

export async function close(page: Page, part: string, market = 'BTC-USDC'): Promise<void> {
  await button(page, `Close ${market}`).click();
  await page.getByRole('menuitem', { name: `Close ${part} at the market` }).click();
}

/** Somebody else moves the mark: nothing is done to the account, and its figures follow all the same. */
export async function marksMove(
  url: string,
  page: Page,
  entry: string,
  held: string,
): Promise<void> {
  const [mark, pnl] = [4, 5].map((at) =>
    position(page)
      .getByRole('cell')
      .nth(at - 1),
  );
  const [before, equity] = [await mark!.innerText(), await worth(page)];
  const market = 'BTC-USDC';
  const maker = await quoteMarket(url, { market, bids: ['97009'], asks: [], size: '0.001' });
  await expect.poll(() => mark!.innerText(), { timeout: 20_000 }).not.toBe(before);
  // The premium of the mark follows the book over minutes.
  await expect.poll(() => worth(page), { timeout: 40_000 }).not.toBe(equity);
  await expect
    .poll(async () => {
      const [at, made] = [await mark!.innerText(), await pnl!.innerText()];
      const due = (Number(at.replace(',', '')) - Number(entry)) * Number(held);
      return Math.abs(due - Number.parseFloat(made.replace('−', '-'))) < 0.0051;
    })
    .toBe(true);
  await maker.client.exchange.cancelAll({ accountType: 'perp' }, { confirm: 'executed' });
}

/** The equity in the header. */
async function worth(page: Page): Promise<string> {
  const header = await page.getByRole('banner').innerText();
  return /Equity\s+([\d,.]+)/.exec(header)![1]!;
}
