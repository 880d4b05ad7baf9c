import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { faultsFound, type Faults } from './accessibility.ts';
import { DESKTOP, PHONE } from './visit.ts';

export type Look = {
  readonly theme: string;
  readonly size: { readonly width: number; readonly height: number };
  /** All of them unless told. */
  readonly faults?: Faults;
};

/** In one look axe finds nothing, and nothing is wider than the screen. */
export async function expectReadable(
  page: Page,
  what: string,
  { faults = 'all', size, theme }: Look,
): Promise<void> {
  await page.setViewportSize({ ...size });
  await page.evaluate((name) => {
    document.documentElement.dataset['theme'] = name;
    // Two frames: the layout of the new size stands, and no colour is on its way.
    return new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    });
  }, theme);
  const look = `${what} ${theme} ${size.width}`;
  expect([look, await faultsFound(page, faults)]).toEqual([look, []]);
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect([look, over]).toEqual([look, 0]);
}

/** A form has the colours of the page: two looks show both themes and both sizes. */
export async function expectReadableForm(page: Page, what: string): Promise<void> {
  await expectReadable(page, what, { theme: 'dark', size: DESKTOP });
  await expectReadable(page, what, { theme: 'light', size: PHONE });
}
