import type { Address } from '@oddlot/units';
import type { Authority, SubAccount } from './authority.ts';

/** What moves money. All but a builder's claim are signed by the account's own key. */

/** Test money. The limits on how often are the edge's. */
export type CreditFaucetCommand = {
  readonly type: 'creditFaucet';
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amountMicroUsdc: number;
};

/** R-transfer: to oneself between sub-accounts, or to somebody else. */
export type SendTokenCommand = {
  readonly type: 'sendToken';
  readonly authority: Authority;
  readonly destination: Address;
  /** 0 is USDC, the only one. */
  readonly token: number;
  readonly amountMicroUsdc: number;
  /** The amount had more decimals than money has, and was rounded down. */
  readonly amountInexact?: true;
  readonly from: SubAccount;
  readonly to: SubAccount;
};

/** R-withdraw: out of the perp balance, held until the bridge has paid. */
export type WithdrawCommand = {
  readonly type: 'withdraw';
  readonly authority: Authority;
  readonly destination: Address;
  readonly amountMicroUsdc: number;
  readonly amountInexact?: true;
};

/** Moves all that a builder earned into its perp balance. */
export type ClaimBuilderRewardsCommand = {
  readonly type: 'claimBuilderRewards';
  readonly authority: Authority;
};
