import { present } from '@oddlot/units';
import type { AccountType } from '../rows/block-rows.ts';

/** Account types as they stand in keys. */
const PERP = 0;
const OUTCOME = 1;
/** Of a row that is about both. */
const BOTH = 2;

export function kindOf(accountType: AccountType): number {
  return accountType === 'perp' ? PERP : OUTCOME;
}

export function kindOfAll(accountTypes: readonly AccountType[]): number {
  return accountTypes.length > 1
    ? BOTH
    : kindOf(present(accountTypes[0], 'a row belongs to an account'));
}

export function kindsOf(accountTypes: readonly AccountType[]): readonly number[] {
  return [...new Set(accountTypes.map(kindOf))];
}

/** The same where a row may be about both. */
export function kindsWithBoth(accountTypes: readonly AccountType[]): readonly number[] {
  return accountTypes.length === 0 ? [] : [...kindsOf(accountTypes), BOTH];
}
