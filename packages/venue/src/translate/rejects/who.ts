import { refusal, type Details } from '@oddlot/protocol';
import { addressField, gotten, type RejectContext, type Translations } from './context.ts';

/** Refusals of who sent a request, of its nonce and of its agents. */

/**
 * A request that was signed for another network, or hashed in another way, recovers somebody whom
 * nobody knows: the text can't tell that from a stranger, the query can.
 */
const WHO_SIGNED =
  'The signature is that of `got`. If that is not your key, the request was signed for another ' +
  'network or hashed differently: ask /info explainSignature';

export const WHO = {
  agentUnknown: ({ signer }) =>
    refusal('agentNotAuthorized', [signer], { got: signer, why: WHO_SIGNED }),
  accountUnknown: ({ signer }) => refusal('noAccount', [], { got: signer, why: WHO_SIGNED }),
  depositFirst: ({ signer }) => refusal('depositFirst', [], { got: signer, why: WHO_SIGNED }),
  actionExpired: ({ expiresAfterMs, timeMs }) =>
    refusal('actionExpired', [expiresAfterMs, timeMs], {
      field: 'expiresAfter',
      got: expiresAfterMs,
      allowed: { min: timeMs },
    }),
  nonceTooOld: (reject, context) => refusal('nonceTooOld', [], nonceDetails(reject, context)),
  nonceTooNew: (reject, context) => refusal('nonceTooFar', [], nonceDetails(reject, context)),
  nonceBeforeLog: (reject, context) =>
    refusal('nonceBeforeVenue', [reject.minExclusive], nonceDetails(reject, context)),
  nonceUsed: (_, { nonce }) =>
    refusal('nonceUsed', [], {
      field: 'nonce',
      ...gotten(nonce),
      ...(nonce === undefined ? {} : { allowed: { min: nonce + 1 } }),
    }),
  nonceTooLow: ({ floor }, { nonce }) =>
    refusal('nonceTooLow', [floor], {
      field: 'nonce',
      ...gotten(nonce),
      allowed: { min: floor + 1 },
    }),
  agentIsSelf: () => refusal('agentIsSelf', [], { field: 'agentAddress' }),
  agentLabelTooLong: () => refusal('agentNameTooLong', [], { field: 'agentName' }),
  agentLabelUnknown: () => refusal('agentLabelUnknown', [], { field: 'agentName' }),
  agentAddressUsed: (_, context) =>
    refusal('agentAddressUsed', [], { field: addressField(context) }),
  agentsFull: () => refusal('agentsFull', [], { field: 'agentName' }),
} satisfies Partial<Translations>;

/** What would be accepted now. */
function nonceDetails(
  reject: { readonly minExclusive: number; readonly maxExclusive: number },
  { nonce }: RejectContext,
): Details {
  const allowed = { min: reject.minExclusive + 1, max: reject.maxExclusive - 1 };
  return { field: 'nonce', ...gotten(nonce), allowed };
}
