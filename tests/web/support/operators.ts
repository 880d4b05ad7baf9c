import { addressOf, keyOf } from '../../support/wallet.ts';
import { WHO_DEPLOYS } from './outcome-people.ts';

/** The operators of the test venues, in addition to the process itself. */

export const WHO_ADMINISTERS = keyOf('page admin');

/** Flags of a venue with both operators. */
export const OPERATED = [
  '--admins',
  addressOf(WHO_ADMINISTERS),
  '--deployers',
  addressOf(WHO_DEPLOYS),
];
