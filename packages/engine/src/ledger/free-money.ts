import {
  addUsdc,
  marginFor,
  maxUsdc,
  type MicroUsdc,
  minUsdc,
  negUsdc,
  subUsdc,
  ZERO_USDC,
} from '@oddlot/units';
import type { SubAccount } from '../messages/command.ts';
import type { Reject, ReservedBy } from '../messages/reject.ts';
import { withdrawable, withdrawableAtMarks } from '../perp/free-margin.ts';
import { freshMargin } from '../perp/margin.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/**
 * Returns the money that can leave a sub-account (R-transfer). For perps this is the withdrawable
 * amount, so that the sender's positions keep enough margin. For outcomes, it is the balance, which
 * excludes order reserves (R-reserve).
 */
export function freeMoney(state: State, account: Account, subAccount: SubAccount): MicroUsdc {
  return subAccount === 'perp' ? withdrawable(state, account) : account.outcomeBalance;
}

/** Rejects an amount above the free money, with the reasons the rest is not free. */
export function checkFreeMoney(
  state: State,
  account: Account,
  subAccount: SubAccount,
  required: MicroUsdc,
): Reject | undefined {
  const available = freeMoney(state, account, subAccount);
  if (required <= available) return undefined;
  const reservedBy =
    subAccount === 'perp' ? reservedInPerp(state, account) : reservedInOutcome(account);
  return { reason: 'balanceInsufficient', required, available, reservedBy };
}

function reservedInOutcome({ outcomeReserved: amount }: Account): readonly ReservedBy[] {
  return amount > 0n ? [{ what: 'orders', amount }] : [];
}

/**
 * Returns the parts of a perp balance that are not free, the largest first. Together with the free
 * money they add up to the balance, or to 0 if it is negative. They are, in order of computation:
 * the loss of open positions; the margin that positions and orders need beyond their profit; the
 * amount that is free at this block's marks but not at the last valid ones (R-order-of-events); and
 * the remainder, held back because of a stale oracle.
 */
export function reservedInPerp(state: State, account: Account): readonly ReservedBy[] {
  freshMargin(state, account);
  const { initial, notional, unrealised } = account.margin;
  const share = marginFor(notional, 10);
  const profit = maxUsdc(unrealised, ZERO_USDC);
  const balance = maxUsdc(account.perpBalance, ZERO_USDC);

  const loss = minUsdc(balance, maxUsdc(negUsdc(unrealised), ZERO_USDC));
  const uncarried = maxUsdc(subUsdc(maxUsdc(initial, share), profit), ZERO_USDC);
  const margin = minUsdc(subUsdc(balance, loss), uncarried);
  const free = withdrawable(state, account);
  const freeAtMarks = withdrawableAtMarks(state, account);
  const stale = subUsdc(balance, addUsdc(addUsdc(loss, margin), freeAtMarks));
  const parts: readonly ReservedBy[] = [
    { what: 'unrealisedLoss', amount: loss },
    { what: share > initial ? 'notionalShare' : 'initialMargin', amount: margin },
    { what: 'lastMark', amount: subUsdc(freeAtMarks, free) },
    { what: 'staleOracle', amount: stale },
  ];
  return parts
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => Number(b.amount > a.amount) - Number(b.amount < a.amount));
}
