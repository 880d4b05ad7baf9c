import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';

/** One screen in one state, to be looked at in every look that it has. */
export type Picture = {
  /** Of the file, in kebab-case. */
  readonly name: string;
  readonly path: string;
  /** Whether the visitor has a test account; nobody has one unless told. */
  readonly hasAccount?: boolean;
  /** Brings the screen into its state, once it stands. */
  readonly prepare?: (page: Page, venue: Venue) => Promise<void>;
};
