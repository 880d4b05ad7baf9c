import type { Address, Hash } from '@oddlot/units';

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

/** What the venue owed at a height and what the bridge held then, for anybody to compare. */
export type PublishReservesCommand = {
  readonly type: 'publishReserves';
  readonly height: number;
  /** Of the tree over what everybody is owed. */
  readonly root: Hash;
  readonly liabilitiesMicroUsdc: number;
  readonly assetsMicroUsdc: number;
  /** The block of the settlement chain that the assets were read at. */
  readonly blockNumber: number;
};
