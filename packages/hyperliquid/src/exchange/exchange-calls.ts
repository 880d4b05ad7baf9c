import type { HyperliquidType } from '@oddlot/protocol';
import type { Call } from '../calls.ts';

/** The actions of Hyperliquid's exchange endpoint that perp clients use. */
export const EXCHANGE_CALLS: Readonly<Record<HyperliquidType | 'setReferrer', Call>> = {
  order: {
    status: 'differs',
    note: 'A builder that the account has not approved is omitted.',
  },
  cancel: { status: 'same', note: 'One result per entry.' },
  cancelByCloid: { status: 'same', note: 'One result per entry.' },
  modify: {
    status: 'same',
    note: 'The new order has a new id. If it lacks margin or would match as `Alo`, the old one is cancelled.',
  },
  batchModify: { status: 'same', note: 'Like `modify`, for each order.' },
  scheduleCancel: { status: 'same', note: 'At least 5 seconds ahead.' },
  updateLeverage: { status: 'differs', note: 'Rejected while the coin has open orders.' },
  updateIsolatedMargin: { status: 'same', note: 'The amount is in micro-USDC.' },
  noop: { status: 'same', note: 'Uses up its nonce.' },
  approveAgent: { status: 'same', note: 'Agents do not expire.' },
  approveBuilderFee: { status: 'same', note: 'Up to 20 builders.' },
  usdSend: { status: 'same', note: 'Between perp sub-accounts.' },
  withdraw3: { status: 'same', note: 'To the settlement chain of the venue.' },
  setReferrer: { status: 'differs', note: 'Accepted without effect.' },
};
