import type { Address, InstrumentId, MicroUsdc, TimeMs } from '@oddlot/units';

/** One position's funding for one hour; paid is negative (R-funding). */
export type FundingPaid = {
  readonly type: 'fundingPaid';
  readonly commandIndex: number;
  readonly account: Address;
  readonly instrumentId: InstrumentId;
  readonly amount: MicroUsdc;
  readonly size: number;
  /** 10^-10 per hour. */
  readonly rateE10: number;
  /** The hour that it fell due. */
  readonly dueMs: TimeMs;
};

/** What a market's hour came to, whether anybody held a position or not (R-funding). */
export type FundingClosed = {
  readonly type: 'fundingClosed';
  readonly commandIndex: number;
  readonly instrumentId: InstrumentId;
  /** 10^-10 per hour. */
  readonly rateE10: number;
  /** The mean of the hour's samples, 10^-10. */
  readonly premiumE10: number;
  readonly dueMs: TimeMs;
};
