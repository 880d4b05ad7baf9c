import type { CancelCause } from '@oddlot/engine';

const REASONS: Readonly<Record<CancelCause, string>> = {
  userCanceled: 'Canceled by user',
  expired: 'Expired',
  iocRemainder: 'Immediate or cancel remainder',
  selfTrade: 'Self trade',
  reduceOnly: 'Reduce only order has no position left',
  marginCanceled: 'Insufficient margin at match',
  matchLimit: 'Too many resting orders met',
  liquidation: 'Canceled by liquidation',
  siblingFilled: 'Sibling order filled',
  parentCanceled: 'Parent order canceled',
  amendedBelowFilled: 'Amended below filled size',
  outcomeResolved: 'Outcome market closed',
  delisted: 'Instrument delisted',
  scheduledCancel: 'Scheduled cancel',
};

type CancelText = { readonly cancelSource: string; readonly cancelReason: string };

/** How the history tells why an order ended: a name for programs, a text for people. */
export const CANCEL_TEXT = Object.fromEntries(
  Object.entries(REASONS).map(([cause, cancelReason]) => [
    cause,
    { cancelSource: `${cause.charAt(0).toUpperCase()}${cause.slice(1)}`, cancelReason },
  ]),
) as Readonly<Record<CancelCause, CancelText>>;
