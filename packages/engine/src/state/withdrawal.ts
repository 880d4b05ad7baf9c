import type { Address, MicroUsdc, TimeMs } from '@oddlot/units';

/**
 * R-withdraw: money on its way to the settlement chain, held until the bridge says how it went. How
 * many of them wait is bounded by the money of the account: each holds the least amount or more.
 */
export type Withdrawal = {
  readonly withdrawalId: number;
  readonly accountIndex: number;
  /** With the fee, which comes out of it. */
  readonly amount: MicroUsdc;
  readonly fee: MicroUsdc;
  readonly destination: Address;
  readonly nonce: number;
  readonly requestedMs: TimeMs;
};
