import type { Details } from '../errors.ts';

/** The answers to venue queries and of the write endpoints. */

/** A notice in addition to a success, when a condition may differ from the client's expectation. */
export type Warning = { code: string; message: string; details?: object };

/** The block up to which an answer from the history is complete. */
export type HistoryAsOf = { height: number; time: number };

/** The envelope of answers of /info, /account, /account-status and /request-fund. */
export type InfoEnvelope<Data> =
  | {
      success: true;
      code: 0;
      data: Data;
      /** Only for answers from the history. */
      asOf?: HistoryAsOf;
      /** Only for paged answers: the start of the next page; null after the last row. */
      nextCursor?: string | null;
      warnings?: Warning[];
    }
  | { success: false; code: number; message: string; name?: string; details?: Details };

export type ActionResultStatus =
  | 'success'
  | { error: string; code?: number; name?: string; details?: Details };

/** The result of one entry of an action, for senders that wait for the execution. */
export type OrderResult = {
  i: number;
  oid: number | null;
  cloid: string | null;
  state: 'open' | 'filled' | 'cancelled' | 'rejected';
  filledSz: string;
  avgPx: string | null;
  error: string | null;
};

/** The answer envelope of /exchange. */
export type ExchangeEnvelope =
  | {
      status: 'ok';
      code: 0;
      data: {
        type: string;
        data: { statuses: [ActionResultStatus]; orders?: OrderResult[]; created?: object };
      };
      confirm?: 'executed';
      txHash?: string;
      height?: number;
      traceId?: string;
      warnings?: Warning[];
    }
  | { status: 'ok'; traceId: string; warnings?: Warning[] }
  | { status: 'pending'; txHash: string; traceId?: string }
  | { status: 'err'; code: number; message: string; name?: string; details?: Details }
  | { status: 'err'; code: number; response: string; name?: string; details?: Details };

/** The URL of the venue's relay, if it has one. */
type RelaySettings = { has_relay: true; relay_url: string } | { has_relay: false; relay_url: '' };

/** The settings of the deployment; snake case on the wire. */
export type Settings = RelaySettings & {
  bridge2_contract_address: string;
  settlement_chain_id: number;
  usdc_contract_address: string;
  insurance_fund_address: string;
  usdc_decimals: 6;
  min_deposit: string;
  min_withdraw: string;
  withdraw_fee: string;
  service_network: string;
  chain_id: number;
  api_version: number;
  protocol_version: number;
  chain_name: string;
  /** An endpoint for wallets; null when the operator has configured none. */
  settlement_rpc_url: string | null;
  /** Test USDC of one grant of the faucet; null without a faucet. */
  faucet_amount: string | null;
  /** Simulated traders provide the liquidity. */
  simulated_traders: boolean;
  /** Their accounts; empty without simulated traders. */
  simulated_accounts: string[];
  /** False if the operator has disabled `leaderboard`. */
  has_leaderboard: boolean;
  /** The processes of this venue with their configured URLs; absent for a single process. */
  replicas?: { replica: string; url: string; height: number }[];
};

/** The access rules of a channel, and the sizes of its lists. */
export type VenueGate = {
  channel: 0 | 1;
  mode: 'open' | 'whitelist' | 'accessCode' | 'closed';
  whitelist: number;
  blacklist: number;
  accessCodes: number;
  grants: number;
};

/** The lists of a gate, each newest first and at most a thousand entries. Codes are masked. */
export type GateLists = {
  channel: 0 | 1;
  whitelist: string[];
  blacklist: string[];
  accessCodes: { accessCode: string; maxUses: number; uses: number }[];
  grants: { user: string; accessCode: string; grantedTime: number }[];
};

/** The age of a perp's oracle price. */
export type VenueOracle = {
  coin: string;
  /** Neither halted nor delisted, which includes the closing hour. */
  trading: boolean;
  /** In milliseconds; null before the first price. */
  ageMs: number | null;
  stale: boolean;
};

/** The operators and condition of the venue, all as of one block. */
export type VenueStatus = {
  height: number;
  time: number;
  /** The signers of `venueAdmin` and of `outcomeDeploy`. */
  admins: string[];
  deployers: string[];
  gates: VenueGate[];
  oracles: VenueOracle[];
  /** In USDC: the account value of the fund, negative while it owes. */
  insuranceFund: string;
  insuranceTarget: string;
  treasury: string;
  accounts: number;
  /** Outcome orders in the delay queue. */
  queuedOrders: number;
  /** Withdrawals that the bridge has not settled. */
  openWithdrawals: number;
  /** Withdrawals wait because the insurance fund has a large deficit (R-deficit). */
  withdrawalsWait: boolean;
};

/** The conditions for a ready venue; the history is not one of them. */
export type HealthCheck =
  | 'stopping'
  | 'log'
  | 'cluster'
  | 'disk'
  | 'clock'
  | 'bridge'
  | 'prices'
  | 'history';

/** The state of the connection to the settlement chain. */
export type SettlementHealth = {
  chainId: number;
  /** `ok`, or the problem. */
  state: string;
  /** The newest block of the chain, and the one up to which deposits are credited. */
  head: number;
  readTo: number;
  /** True when all confirmed blocks have been read. */
  current: boolean;
  /** Null until the bridge has been read. */
  paused: boolean | null;
};

/** The health of the answering process; other processes of the venue may differ. */
export type VenueHealth = {
  /** The venue's clock. */
  time: number;
  height: number;
  /** Since the last block. */
  blockAgeMs: number;
  ready: boolean;
  /** The failing checks; a venue whose only problem is its history is still ready. */
  failing: HealthCheck[];
  /** Commands that wait for a block. */
  waitingCommands: number;
  /** Blocks that the history has not written yet. */
  historyLag: number;
  connections: { ws: number; apiWs: number; wsRtds: number };
  /** Streams with at least one subscriber. */
  streams: number;
  /** Null without a settlement chain. */
  settlement: SettlementHealth | null;
};

/** The transaction of a permit deposit. */
export type PermitDeposit = { txHash: string };

/** A tier of the fee schedule; rates are fractions. */
export type FeeTierRow = {
  level: number;
  min14dTradingVolume: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
};

/** Rates by the trading volume of the last 14 days. */
export type FeeTierInfo = { tiers: FeeTierRow[] };

/** An account's tier; the highest one has no next level. */
export type FeeTierRates = {
  user: string;
  level: number;
  volume14d: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
  /** The default; a market's own rate takes precedence. */
  outcomeTakerFeeRate: string;
  nextLevel: number | null;
  nextMin14dTradingVolume: string | null;
};

export type FaucetGrant = {
  user: string;
  amount: string;
  token: 'USDC';
  txHash: string;
  nextRequestTime: number;
};

/** The action of a receipt. */
type ActionNames = {
  txHash: string;
  traceId: string;
  signer: string;
  /** The acting account; null when the signer had no role. */
  user: string | null;
  nonce: number;
  actionType: string;
};

type ActionBlock = { height: number; time: number; hash: string };

type ExecutionResult = {
  type: string;
  statuses: [ActionResultStatus];
  orders?: OrderResult[];
};

type ExecutionError = { code: number; name: string; message: string; details?: Details };

/** The fields of every status but `unknown`, with types that depend on the status. */
type Receipt<Status, Block, Result, Failure> = ActionNames & {
  status: Status;
  block: Block;
  result: Result;
  error: Failure;
};

/** The receipt of an action. Its `status` determines the other fields. */
export type ActionStatus =
  | Receipt<'executed', ActionBlock, ExecutionResult, null>
  | Receipt<'failed', ActionBlock, ExecutionResult, ExecutionError>
  | Receipt<'queued', ActionBlock, null, null>
  | Receipt<'pending', null, null, null>
  | ({ [Name in keyof ActionNames]: null } & {
      status: 'unknown';
      block: null;
      result: null;
      error: null;
    });

/** The role of an address in the venue; `expected` is known only to the asking client. */
export type SignerRole =
  | 'account'
  | 'agent'
  | 'deployer'
  | 'admin'
  | 'multiSigSigner'
  | 'expected'
  | 'none';

/** The contents and signer of a signature; for an unknown signer also the possible mistakes. */
export type ExplainedSignature = {
  scheme: 'agent' | 'direct' | 'multiSig';
  typeString: string;
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  /** Null for a direct action, like the next two; that of a wrapper omits its `type`. */
  msgpack: string | null;
  preimage: string | null;
  /** For a wrapper, the `multiSigActionHash`. */
  connectionId: string | null;
  structHash: string;
  digest: string;
  txHash: string;
  /** Null when recovery fails. */
  signer: string | null;
  role: SignerRole;
  /** The owner of an agent. */
  owner: string | null;
  agentName: string | null;
  /** Empty unless the role is `none`; ends with the match, if there is one. */
  tried: { mistake: Mistake; variant: string; signer: string | null; role: SignerRole }[];
  match: {
    mistake: Mistake;
    variant: string;
    signer: string;
    role: SignerRole;
    owner: string | null;
    hint: string;
  } | null;
};

/** The result and cost of one entry of an action. */
export type SimulatedOrder = OrderResult & {
  /** The size that would rest in the book. */
  restingSz: string;
  fee: string;
  feeRate: string;
  builderFee: string;
  delayMs: number;
};

/** An affected position after the action; of size 0 when it would close. */
export type SimulatedPosition = {
  instrumentId: number;
  szi: string;
  entryPx: string;
  leverage: number;
  marginUsed: string;
  liquidationPx: string;
};

/** The effect of an action on the state after block `height`. */
export type SimulatedAction = {
  height: number;
  time: number;
  accepted: boolean;
  error: ActionStatus['error'];
  orders: SimulatedOrder[];
  /** The cross scope of the perp sub-account after the action; null without an account. */
  margin: {
    accountValue: string;
    initialMargin: string;
    maintenanceMargin: string;
    crossMarginRatio: string;
    withdrawable: string;
  } | null;
  outcome: { available: string; reserved: string } | null;
  positions: SimulatedPosition[];
  warnings: Warning[];
};

type Budget = { limit: number; windowMs: number; remaining: number; resetMs: number };

type Connections = { limit: number; open: number };

/** The budgets of the asking client. */
export type RateLimit = {
  ip: string;
  time: number;
  info: Budget;
  exchange: Budget;
  explainSignature: Budget;
  simulate: Budget;
  /** The client's budget of the venue's main thread, in milliseconds; absent without limits. */
  work?: { limit_ms_per_second: number; remaining_ms: number };
  ws: Connections;
  apiWs: Connections;
  wsRtds: Connections;
  faucetNextTime: number | null;
};

/** The hash of the venue's whole state after a block. */
export type StateHash = { height: number; blockTime: number; stateHash: string };

/** Client mistakes in signing, in the order of the checks. The names are part of the API. */
export const MISTAKES = [
  'keyOrder',
  'missingType',
  'chainId',
  'networkName',
  'vaultFlag',
  'nonce',
  'trailingZeros',
  'addressCase',
  'vParity',
  'directSignedAsAgent',
  'agentSignedAsDirect',
  'expiresAfter',
] as const;

export type Mistake = (typeof MISTAKES)[number];
