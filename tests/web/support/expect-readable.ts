import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { sampledCases } from '../../support/sampled-cases.ts';
import { freshSeed } from '../../support/fresh-seed.ts';
import { seededRandom } from '../../support/seeded.ts';
import { faultsFound, type Faults } from './accessibility.ts';
import { DESKTOP, PHONE } from './visit.ts';

export type Look = {
  readonly theme: string;
  readonly size: { readonly width: number; readonly height: number };
  /** The rules to check. The default is all rules. */
  readonly faults?: Faults;
};

/**
 * Checks, in the given theme and size, that axe finds no violations and that no content is wider
 * than the screen.
 */
export async function expectReadable(
  page: Page,
  what: string,
  { faults = 'all', size, theme }: Look,
): Promise<void> {
  await page.setViewportSize({ ...size });
  await page.evaluate((name) => {
    document.documentElement.dataset['theme'] = name;
    // After two frames, the layout has adapted to the new size, and all colour transitions have
    // ended.
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

const FORM_LOOKS: readonly Look[] = [
  { theme: 'dark', size: DESKTOP },
  { theme: 'light', size: PHONE },
];
const random = seededRandom(freshSeed('FORM_LOOKS_SEED'));

/**
 * Checks a form in one of two combinations of theme and size, chosen at random in each run.
 * Together, the two cover both themes and both sizes.
 */
export async function expectReadableForm(page: Page, what: string): Promise<void> {
  for (const look of sampledCases(FORM_LOOKS, 1, random)) await expectReadable(page, what, look);
}
