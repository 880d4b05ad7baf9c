import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Venue } from '../support/venue-process.ts';
import { expectReadable } from './support/expect-readable.ts';
import { button, choose, position, size, trading } from './support/terminal.ts';
import { DESKTOP } from './support/visit.ts';
import type { WebBrowser } from './support/web-browser.ts';
import { workerBrowser } from './support/worker-browser.ts';
import { workerVenue } from './support/worker-venue.ts';

let venue: Venue;
let browser: WebBrowser;

beforeAll(async () => {
  [venue, browser] = await Promise.all([workerVenue(), workerBrowser()]);
});
afterEach(() => browser.leaveAll());

test('one press turns a position into a picture that shows no amounts, is not uploaded, and has a view-only link', async () => {
  const page = await trading(browser, venue.url);
  await choose(page, 'Market');
  await size(page).fill('0.001');
  await button(page, /^Buy 0\.001 BTC at market/).click();
  await position(page).waitFor();
  await position(page).getByTitle('Share result').press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share result' });
  const picture = dialog.getByRole('img');
  const labelText = async (): Promise<string> => (await picture.getAttribute('aria-label'))!;
  await expect
    .poll(labelText)
    .toMatch(/^BTC-USDC, Long · \d+× · test funds, [+−]?[\d.]+%, Entry, /);
  expect(await labelText()).not.toContain('0.001');
  expect(await labelText()).not.toContain('USDC, Entry');
  for (const theme of ['light', 'dark']) {
    await expectReadable(page, 'share', { theme, size: DESKTOP });
  }
  const shot = (): Promise<string> =>
    picture.evaluate((it) => (it as HTMLCanvasElement).toDataURL());
  const before = await shot();
  // The picture has content right away.
  const colours = await picture.evaluate((it) => {
    const { height, width } = it as HTMLCanvasElement;
    const { data } = (it as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  expect(colours).toBeGreaterThan(20);
  await dialog.getByRole('checkbox', { name: 'Show amounts and sizes' }).press('Space');
  await expect.poll(labelText).toMatch(/Result, [+−]?[\d.]+ USDC, Entry, .*Size, 0\.001/);
  await expect.poll(shot).not.toBe(before);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save image' }).press('Enter'),
  ]);
  expect(saved.suggestedFilename()).toBe('BTC-USDC.png');
  expect(
    readFileSync(await saved.path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  await dialog.getByRole('button', { name: 'Copy view-only link' }).press('Enter');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/explorer\/address\/0x[0-9a-f]{40}$/);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
