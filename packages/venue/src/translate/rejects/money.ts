import type { ReservedBy } from '@oddlot/engine';
import { refusal, type Details } from '@oddlot/protocol';
import { formatMoney, MONEY_DECIMALS } from '@oddlot/units';
import { addressField, gotten, type RejectContext, sizeAt, type Translations } from './context.ts';
import { validText } from './orders.ts';

/** Refusals of transfers, withdrawals and whatever else moves money. */

/** The least amount of money that there is. */
const MICRO_USDC = formatMoney(1);

export const MONEY = {
  tokenUnknown: ({ token }) => refusal('unknownToken', [token], { field: 'token', got: token }),
  amountInexact: ({ floor }, context) =>
    refusal('sizeOffLot', [MICRO_USDC], {
      ...amountAt(context),
      allowed: { step: MICRO_USDC },
      nearest: [validText(floor, MONEY_DECIMALS), validText(floor + 1n, MONEY_DECIMALS)],
    }),
  addressInvalid: ({ address }, context) =>
    refusal('invalidAddress', [], { field: addressField(context), got: address }),
  sameSubAccount: () => refusal('sameSourceAndDestination', [], { field: 'toAccountType' }),
  transferBelowMin: ({ min }, context) =>
    refusal('transferBelowMin', [], leastAmount(context, min)),
  withdrawBelowMin: ({ min }, context) =>
    refusal('withdrawBelowMin', [], leastAmount(context, min)),
  insuranceBelowTarget: () => refusal('insuranceBelowTarget', []),
  balanceInsufficient: ({ required, available, reservedBy = [] }, context) =>
    refusal('insufficientBalance', [], {
      ...spendingAt(context),
      required: requiredText(required, context),
      available: formatMoney(available),
      ...(reservedBy.length === 0 ? {} : { reservedBy: reservedBy.map(reserveText) }),
    }),
} satisfies Partial<Translations>;

/** The amount, the entry of a list that costs something, or the margin that is to be added. */
function spendingAt(context: RejectContext): Details {
  const { amount, field = '', size } = context.entry ?? {};
  if (amount !== undefined) return amountAt(context);
  // An amend asks for more by its size.
  if (field === '' && size !== undefined) return sizeAt(context);
  return field === '' ? { field: 'ntli' } : { field };
}

/** An amount beyond what the venue counts reaches the engine as the largest; the client asked for its own. */
function requiredText(required: bigint, { entry }: RejectContext): string {
  const isCut = required >= BigInt(Number.MAX_SAFE_INTEGER) && entry?.amount !== undefined;
  return isCut ? entry.amount : formatMoney(required);
}

function amountAt({ entry }: RejectContext): Details {
  return { field: 'amount', ...gotten(entry?.amount) };
}

function leastAmount(context: RejectContext, min: bigint): Details {
  return { ...amountAt(context), allowed: { min: formatMoney(min) } };
}

function reserveText({ what, amount }: ReservedBy): { what: string; amount: string } {
  return { what, amount: formatMoney(amount) };
}
