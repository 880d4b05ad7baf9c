import { refusal, type Details } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import { gotten, instrumentAt, nameOf, type Translations } from './context.ts';

/** Refusals of leverage, modes, isolated margin and what works on a whole position. */

export const SETTINGS = {
  leverageInvalid: ({ leverage }) =>
    refusal('invalidLeverage', [leverage], { field: 'leverage', got: leverage }),
  leverageOpenOrders: (_, context) => refusal('leverageOpenOrders', [], instrumentAt(context)),
  leverageTpslOrders: (_, context) => refusal('leverageTpslOrders', [], instrumentAt(context)),
  leverageTriggerOrders: (_, context) =>
    refusal('leverageTriggerOrders', [], instrumentAt(context)),
  leverageTooHigh: ({ instrumentId, max }, context) =>
    refusal('leverageAboveMax', [nameOf(context, instrumentId)], {
      field: 'leverage',
      allowed: { max },
    }),
  positionModeOpenPositions: () =>
    refusal('positionModeOpenPositions', [], { field: 'positionMode' }),
  positionModeOpenOrders: () => refusal('positionModeOpenOrders', [], { field: 'positionMode' }),
  marginModeOpenPositions: (_, context) =>
    refusal('marginModeOpenPositions', [], instrumentAt(context)),
  marginModeOpenOrders: (_, context) => refusal('marginModeOpenOrders', [], instrumentAt(context)),
  isolatedPositionMissing: ({ instrumentId }, context) =>
    refusal('noIsolatedPosition', [nameOf(context, instrumentId)], instrumentAt(context)),
  positionMissing: ({ instrumentId }, context) =>
    refusal('noPosition', [nameOf(context, instrumentId)], instrumentAt(context)),
  marginNotFree: (amounts) =>
    refusal('marginNotFree', [], { field: 'ntli', ...amountsOf(amounts) }),
  scheduleTooSoon: ({ minMs }, context) =>
    refusal('scheduleTooSoon', [], {
      field: 'time',
      ...gotten(context.entry?.expireMs),
      allowed: { min: minMs },
    }),
  reverseUnderWay: ({ instrumentId }, context) =>
    refusal('reverseUnderWay', [nameOf(context, instrumentId)], instrumentAt(context)),
} satisfies Partial<Translations>;

function amountsOf({ required, available }: { required: bigint; available: bigint }): Details {
  return { required: formatMoney(required), available: formatMoney(available) };
}
