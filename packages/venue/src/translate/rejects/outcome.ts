import { refusal, type Details } from '@oddlot/protocol';
import {
  at,
  clientIdAt,
  gotten,
  instrumentAt,
  priceAt,
  sizeAt,
  priceText,
  sizeText,
  type RejectContext,
  type Translations,
} from './context.ts';

/** Refusals on outcome markets: of orders, of split and merge, and of what deployers do. */

export const OUTCOME = {
  amendWouldTake: (_, context) => refusal('amendWouldTake', [], priceAt(context)),
  orderQueued: (_, context) => refusal('orderQueued', [], clientIdAt(context)),
  outcomeUnknown: ({ instrumentId }, context) =>
    refusal('notOutcome', [], { ...instrumentAt(context), got: instrumentId }),
  marketClosed: (_, context) => refusal('marketClosed', [], instrumentAt(context)),
  marketResolved: (_, context) => refusal('outcomeResolved', [], instrumentAt(context)),
  iocOnOutcome: (_, context) => refusal('iocOnOutcome', [], at(context, 't.limit.tif')),
  triggerOnOutcome: (_, context) => refusal('triggerOnOutcome', [], at(context, 't.trigger')),
  sharesInsufficient: (reject, context) =>
    refusal('insufficientShares', [], { ...sizeAt(context), ...shares(reject, context) }),
  pairsInsufficient: (reject, context) =>
    refusal('insufficientSharesToMerge', [], { ...sizeAt(context), ...shares(reject, context) }),
  slugUsed: ({ slug }) => refusal('slugUsed', [slug], { field: 'slug', ...gotten(slug) }),
  eventUnknown: ({ slug }) => refusal('eventNotFound', [], { field: 'eventSlug', ...gotten(slug) }),
  phaseChangeInvalid: ({ instrumentId, from, to }) =>
    refusal('invalidPhaseChange', [from, to], {
      field: to === 'resolved' ? 'instrumentId' : 'instrumentIds',
      got: instrumentId,
    }),
  alreadyResolved: ({ instrumentId }) =>
    refusal('alreadyResolved', [], { field: 'instrumentId', got: instrumentId }),
  fractionInexact: ({ instrumentId, floor }, context) => {
    const nearest = (units: number): string => priceText(context, instrumentId, units);
    const why = `must be a multiple of ${nearest(1)}`;
    return refusal('invalidValue', ['settlementFraction', why], {
      field: 'settlementFraction',
      allowed: { step: nearest(1) },
      nearest: [nearest(floor), nearest(floor + 1)],
    });
  },
  fractionsOff: () => refusal('fractionsNotOne', [], { field: 'settlementFraction' }),
} satisfies Partial<Translations>;

function shares(
  reject: { readonly instrumentId: number; readonly required: number; readonly available: number },
  context: RejectContext,
): Details {
  const { available, instrumentId, required } = reject;
  return {
    required: sizeText(context, instrumentId, required),
    available: sizeText(context, instrumentId, available),
  };
}
