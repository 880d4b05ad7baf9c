import type { CancelCause } from '@oddlot/engine';

/** How the history tells why an order ended: a name for programs, a text for people. */
export const CANCEL_TEXT: Readonly<
  Record<CancelCause, { readonly cancelSource: string; readonly cancelReason: string }>
> = {
  userCanceled: { cancelSource: 'UserCanceled', cancelReason: 'Canceled by user' },
  expired: { cancelSource: 'Expired', cancelReason: 'Expired' },
  iocRemainder: { cancelSource: 'IocRemainder', cancelReason: 'Immediate or cancel remainder' },
  selfTrade: { cancelSource: 'SelfTrade', cancelReason: 'Self trade' },
  reduceOnly: {
    cancelSource: 'ReduceOnly',
    cancelReason: 'Reduce only order has no position left',
  },
  marginCanceled: { cancelSource: 'MarginCanceled', cancelReason: 'Insufficient margin at match' },
  matchLimit: { cancelSource: 'MatchLimit', cancelReason: 'Too many resting orders met' },
  liquidation: { cancelSource: 'Liquidation', cancelReason: 'Canceled by liquidation' },
  siblingFilled: { cancelSource: 'SiblingFilled', cancelReason: 'Sibling order filled' },
  parentCanceled: { cancelSource: 'ParentCanceled', cancelReason: 'Parent order canceled' },
  amendedBelowFilled: {
    cancelSource: 'AmendedBelowFilled',
    cancelReason: 'Amended below filled size',
  },
  outcomeResolved: { cancelSource: 'OutcomeResolved', cancelReason: 'Outcome market closed' },
  delisted: { cancelSource: 'Delisted', cancelReason: 'Instrument delisted' },
  scheduledCancel: { cancelSource: 'ScheduledCancel', cancelReason: 'Scheduled cancel' },
};
