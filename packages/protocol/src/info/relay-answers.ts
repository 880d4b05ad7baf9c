/** The answers of the relay. Amounts are USDC as decimal text. */

/** A chain that the relay lists, and its terms there. */
export type RelayChainRow = {
  chain: string;
  /** Null for chains without such a number. */
  chainId: number | null;
  asset: 'USDC';
  minDeposit: string;
  minWithdraw: string;
  withdrawFee: string;
  /** False for a chain that is only listed. */
  enabled: boolean;
  /** The USDC contract there; null for a chain that is not enabled. */
  token: string | null;
  /** An endpoint for wallets; null when the operator has configured none. */
  rpcUrl: string | null;
};

/** A one-time address on another chain: deposits to it are credited in the venue. */
export type RelayDepositAddress = {
  id: string;
  address: string;
  srcChain: string;
  dstChain: string;
  asset: 'USDC';
  dstAddr: string;
  minAmount: string;
  fee: string;
  expireTime: number;
  status: 'waiting';
};

/** An account in the venue: a `tokenSend` to it is paid out on another chain. */
export type RelayPegAddress = {
  id: string;
  pegAddress: string;
  srcChain: string;
  dstChain: string;
  asset: 'USDC';
  dstAddr: string;
  minAmount: string;
  fee: string;
  expireTime: number;
};

export type RelayStatus =
  | 'waiting'
  | 'confirming'
  | 'relaying'
  | 'completed'
  | 'failed'
  | 'refunded';

/** A transfer through the relay. */
export type RelayTransfer = {
  id: string;
  direction: 'deposit' | 'withdraw';
  srcChain: string;
  dstChain: string;
  asset: 'USDC';
  /** The received amount, including the fee. */
  amount: string;
  fee: string;
  /** The receiving address: the one-time address or the peg. */
  address: string;
  srcTxHash: string | null;
  dstTxHash: string | null;
  status: RelayStatus;
  /** The reason of a delay; absent without one. */
  trouble?: string;
  createTime: number;
  updateTime: number;
};

/** A page of transfers, newest first. */
export type RelayTransfers = {
  items: RelayTransfer[];
  page: number;
  pageSize: number;
  total: number;
};
