import { addressOf, keyOf } from '../../support/wallet.ts';
import { WHO_DEPLOYS } from './outcome-people.ts';

/** Who operates the venues of these tests, beside whoever lives in the process. */

export const WHO_ADMINISTERS = keyOf('page admin');

/** Flags of a venue that both of them may operate. */
export const OPERATED = [
  '--admins',
  addressOf(WHO_ADMINISTERS),
  '--deployers',
  addressOf(WHO_DEPLOYS),
];
