import { addressOf, keyOf } from '../../support/wallet.ts';
import { WHO_DEPLOYS } from './outcome-people.ts';

/** Operators of the test venues, in addition to each venue's own operator key. */

export const OPERATOR_KEY = keyOf('page admin');

export const OPERATED = [
  '--admins',
  addressOf(OPERATOR_KEY),
  '--deployers',
  addressOf(WHO_DEPLOYS),
];
