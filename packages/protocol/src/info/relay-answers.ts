/** What the relay answers. Amounts are USDC as decimal text. */

/** A chain that the relay lists, and its terms there. */
export type RelayChainRow = {
  chain: string;
  /** Null where chains have no such number. */
  chainId: number | null;
  asset: 'USDC';
  minDeposit: string;
  minWithdraw: string;
  withdrawFee: string;
  /** False where it is listed only. */
  enabled: boolean;
  /** The contract of USDC there; null where the chain is not enabled. */
  token: string | null;
  /** An endpoint for wallets; null when the operator names none. */
  rpcUrl: string | null;
};

/** A one-time address on another chain: what is sent there is credited in the venue. */
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

/** An account in the venue: what is sent there by `tokenSend` is paid out on another chain. */
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

/** How far a transfer is. */
export type RelayStatus =
  | 'waiting'
  | 'confirming'
  | 'relaying'
  | 'completed'
  | 'failed'
  | 'refunded';

/** Money on its way through the relay. */
export type RelayTransfer = {
  id: string;
  direction: 'deposit' | 'withdraw';
  srcChain: string;
  dstChain: string;
  asset: 'USDC';
  /** What came in, the fee included. */
  amount: string;
  fee: string;
  /** Where it came in: the one-time address or the peg. */
  address: string;
  srcTxHash: string | null;
  dstTxHash: string | null;
  status: RelayStatus;
  /** What keeps it from getting on; absent when nothing does. */
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
