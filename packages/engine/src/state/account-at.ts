import type { Address } from '@oddlot/units';
import type { Account } from './account.ts';
import type { State } from './state.ts';

/** The account under an address; undefined when nobody has opened it. */
export function accountAt(state: State, address: Address): Account | undefined {
  const index = state.accountIndex.get(address);
  return index === undefined ? undefined : state.accounts[index];
}
