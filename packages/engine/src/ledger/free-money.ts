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
 * What may leave a sub-account (R-transfer). Perp: what is withdrawable, so that whoever sends stays
 * covered. Outcome: what no order has set aside; that has left the balance (R-reserve).
 */
export function freeMoney(state: State, account: Account, subAccount: SubAccount): MicroUsdc {
  return subAccount === 'perp' ? withdrawable(state, account) : account.outcomeBalance;
}

/** Refuses to take more than is free, and says what keeps the rest. */
export function checkFreeMoney(
  state: State,
  account: Account,
  subAccount: SubAccount,
  required: MicroUsdc,
): Reject | undefined {
  const available = freeMoney(state, account, subAccount);
  if (required <= available) return undefined;
  const kept = subAccount === 'perp' ? reservedInPerp(state, account) : reservedInOutcome(account);
  return { reason: 'balanceInsufficient', required, available, reservedBy: kept };
}

/** What queued and resting buys hold back. */
function reservedInOutcome({ outcomeReserved: amount }: Account): readonly ReservedBy[] {
  return amount > 0n ? [{ what: 'orders', amount }] : [];
}

/**
 * What keeps the rest of a perp balance, the largest first. Free money and these parts add up to the
 * balance, or to nothing when it is below zero: nothing is named that is not there. The loss of open
 * positions comes off first, for it is as good as gone; then the margin that the positions and
 * orders need, as far as profit does not carry it; then what is free at this block's marks and not yet
 * at the last judged ones (R-order-of-events); a stale oracle keeps what all of these leave over.
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
