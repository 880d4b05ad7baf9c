import type { Address, Hash } from '@oddlot/units';
import type { Authority, SubAccount } from './keys.ts';

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

/** What the process tells of the settlement chain. None of it comes over the wire. */

/** The contracts that money comes in and goes out by. Told when they are others than before. */
export type OpenBridgeCommand = {
  readonly type: 'openBridge';
  readonly chainId: number;
  readonly bridge: Address;
  readonly token: Address;
};

/** Where on a chain a deposit was made: what it is credited once by (R-deposit). */
export type DepositSource = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly logIndex: number;
  readonly blockNumber: number;
};

/** R-deposit: money that the bridge has received for an address. */
export type CreditDepositCommand = {
  readonly type: 'creditDeposit';
  readonly account: Address;
  readonly amountMicroUsdc: number;
  readonly source: DepositSource;
  /** The address itself sent it, or signed the permit that moved it (R-agents). */
  readonly isOwn: boolean;
};

/** Addresses of the relay: the first send to one costs no opening fee (R-limits-of-state). */
export type RegisterPegsCommand = {
  readonly type: 'registerPegs';
  readonly addresses: readonly Address[];
};

/**
 * What the venue owed at a height and what the bridge held then, for anybody to compare. What is owed, that
 * is liabilities less the shortfall, is the assets with what is unsettled and unbacked, or money is missing.
 */
export type PublishReservesCommand = {
  readonly type: 'publishReserves';
  readonly height: number;
  /** Of the tree over what everybody is owed, and how many leaves it has. */
  readonly root: Hash;
  readonly leaves: number;
  readonly liabilitiesMicroUsdc: number;
  /** What scopes below zero lack: they are owed nothing, and others are owed no less for it. */
  readonly shortfallMicroUsdc: number;
  /** The block of the settlement chain that everything below is of. */
  readonly blockNumber: number;
  /** What the bridge held less what is kept aside: that is nobody's yet. */
  readonly assetsMicroUsdc: number;
  readonly keptAsideMicroUsdc: number;
  /** Withdrawals that the bridge had paid and the venue still held. */
  readonly unsettledMicroUsdc: number;
  /** Test money that was given and not made on the chain. */
  readonly unbackedMicroUsdc: number;
};
