/** A chain listed by the relay, with its terms. */
export type RelayChainRow = {
  chain: string;
  /** The chain id; null for chains without a numeric id. */
  chainId: number | null;
  asset: 'USDC';
  minDeposit: string;
  minWithdraw: string;
  withdrawFee: string;
  /** False for a chain that is only listed. */
  enabled: boolean;
  /** The USDC contract on that chain; null for a chain that is not enabled. */
  token: string | null;
  /** The RPC endpoint for wallets; null if the operator has not configured one. */
  rpcUrl: string | null;
};

/** A one-time address on another chain. The venue credits deposits to it. */
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

/** A relay withdrawal address at the venue. A `tokenSend` to it is paid out on another chain. */
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

/** A transfer through the relay. Amounts are decimal strings in USDC. */
export type RelayTransfer = {
  id: string;
  direction: 'deposit' | 'withdraw';
  srcChain: string;
  dstChain: string;
  asset: 'USDC';
  /** The amount received, including the fee. */
  amount: string;
  fee: string;
  /** The receiving address: the one-time deposit address or the relay withdrawal address. */
  address: string;
  srcTxHash: string | null;
  dstTxHash: string | null;
  status: RelayStatus;
  /** The reason for a delay; absent if there is none. */
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
