import type { Page } from 'playwright-core';
import type { Venue } from '../../support/venue-process.ts';

/** One screen in one state. A picture is taken in each theme and at each size. */
export type Picture = {
  /** The file name in kebab-case. */
  readonly name: string;
  readonly path: string;
  /** True if the visitor has a test account. The default is false. */
  readonly hasAccount?: boolean;
  /** Brings the loaded screen into the state to be pictured. */
  readonly prepare?: (page: Page, venue: Venue) => Promise<void>;
};
