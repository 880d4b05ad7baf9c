import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';

/** One screen in one state, which is pictured in all looks. */
export type Picture = {
  /** File name in kebab-case. */
  readonly name: string;
  readonly path: string;
  /** True if the visitor has a test account; false by default. */
  readonly hasAccount?: boolean;
  /** Brings the loaded screen into its state. */
  readonly prepare?: (page: Page, venue: Venue) => Promise<void>;
};
