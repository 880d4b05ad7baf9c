import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';

/** One screen in one state, pictured in all its looks. */
export type Picture = {
  /** The file name, in kebab-case. */
  readonly name: string;
  readonly path: string;
  /** Whether the visitor has a test account; false by default. */
  readonly hasAccount?: boolean;
  /** Brings the loaded screen into its state. */
  readonly prepare?: (page: Page, venue: Venue) => Promise<void>;
};
