import type { Details } from '../errors.ts';

/** A notice that accompanies a success if a condition may differ from what the client expects. */
export type Warning = { code: string; message: string; details?: object };

/** The block up to which a history response is complete. */
export type HistoryAsOf = { height: number; time: number };

/** The envelope of responses from /info, /account, /account-status and /request-fund. */
export type InfoEnvelope<Data> =
  | {
      success: true;
      code: 0;
      data: Data;
      /** The history's block; present only in history responses. */
      asOf?: HistoryAsOf;
      /** The start of the next page, only in paged responses; null after the last row. */
      nextCursor?: string | null;
      warnings?: Warning[];
    }
  | { success: false; code: number; message: string; name?: string; details?: Details };

export type ActionResultStatus =
  | 'success'
  | { error: string; code?: number; name?: string; details?: Details };

/** The result of one entry of an action, for clients that wait for execution. */
export type OrderResult = {
  i: number;
  oid: number | null;
  cloid: string | null;
  state: 'open' | 'filled' | 'cancelled' | 'rejected';
  filledSz: string;
  avgPx: string | null;
  error: string | null;
};

/** The envelope of responses from /exchange. */
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

/** The settings of the deployment, in snake case as in the API. */
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
  /** The RPC endpoint for wallets; null if the operator has not configured one. */
  settlement_rpc_url: string | null;
  /** The amount of USDC in one faucet payout; null if there is no faucet. */
  faucet_amount: string | null;
  /** True if simulated traders provide the liquidity. */
  simulated_traders: boolean;
  /** The simulated traders' accounts; empty if there are none. */
  simulated_accounts: string[];
  /** False if the operator has disabled the `leaderboard` query. */
  has_leaderboard: boolean;
  /** This venue's replicas with their configured URLs; absent for a single process. */
  replicas?: { replica: string; url: string; height: number }[];
};

/** A channel's access control, with the sizes of its lists. */
export type VenueGate = {
  channel: 0 | 1;
  mode: 'open' | 'whitelist' | 'accessCode' | 'closed';
  whitelist: number;
  blacklist: number;
  accessCodes: number;
  grants: number;
};

/** The lists of a gate, each newest first with at most a thousand entries. Codes are masked. */
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
  /** True unless the perp is halted or delisted. A perp in its closing hour counts as delisted. */
  trading: boolean;
  /** The age in milliseconds; null before the first price. */
  ageMs: number | null;
  stale: boolean;
};

/** The venue's operators and condition, all as of one block. */
export type VenueStatus = {
  height: number;
  time: number;
  /** The signers of `venueAdmin` actions; the next field lists those of `outcomeDeploy` actions. */
  admins: string[];
  deployers: string[];
  gates: VenueGate[];
  oracles: VenueOracle[];
  /** The account value of the insurance fund in USDC, which can be negative. */
  insuranceFund: string;
  insuranceTarget: string;
  treasury: string;
  accounts: number;
  /** The number of outcome orders in the delay queue. */
  queuedOrders: number;
  /** The number of withdrawals that the bridge has not settled. */
  openWithdrawals: number;
  /** True while withdrawals are held because the insurance fund has a large deficit (R-deficit). */
  withdrawalsWait: boolean;
};

/** The checks on a venue's health. A ready venue must pass all of them except `history`. */
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
  /** Either `ok` or a description of the problem. */
  state: string;
  /**
   * The chain's newest block; the next field is the block up to which deposits have been credited.
   */
  head: number;
  readTo: number;
  /** True if all confirmed blocks have been read. */
  current: boolean;
  /** True if the bridge is paused; null until the bridge has been read. */
  paused: boolean | null;
};

/** The health of the responding process; the venue's other processes may differ. */
export type VenueHealth = {
  /** The time on the venue's clock. */
  time: number;
  height: number;
  /** The time since the last block, in milliseconds. */
  blockAgeMs: number;
  ready: boolean;
  /** The failing checks. A venue for which only `history` fails is still ready. */
  failing: HealthCheck[];
  /** The number of commands waiting for a block. */
  waitingCommands: number;
  /** The number of blocks not yet written to the history. */
  historyLag: number;
  connections: { ws: number; apiWs: number; wsRtds: number };
  /** The number of streams with at least one subscriber. */
  streams: number;
  /** The state of the settlement chain; null if there is none. */
  settlement: SettlementHealth | null;
};

/** The transaction for a deposit by permit. */
export type PermitDeposit = { txHash: string };

/** A tier of the fee schedule. Rates are fractions. */
export type FeeTierRow = {
  level: number;
  min14dTradingVolume: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
};

/** The fee rates by trading volume over the last 14 days. */
export type FeeTierInfo = { tiers: FeeTierRow[] };

/** An account's fee tier. The highest tier has no next level. */
export type FeeTierRates = {
  user: string;
  level: number;
  volume14d: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
  /** The default rate; a market's own rate takes precedence. */
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

type ActionNames = {
  txHash: string;
  traceId: string;
  signer: string;
  /** The account that the signer acts for; null if the signer had no role. */
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

type Receipt<Status, Block, Result, Failure> = ActionNames & {
  status: Status;
  block: Block;
  result: Result;
  error: Failure;
};

/** The receipt of an action. Its `status` determines the types of the other fields. */
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

/**
 * The role of an address at the venue. `expected` is the address given by the client in its query.
 */
export type SignerRole =
  | 'account'
  | 'agent'
  | 'deployer'
  | 'admin'
  | 'multiSigSigner'
  | 'expected'
  | 'none';

/**
 * The contents and the signer of a signature. If the signer is unknown, the response includes the
 * possible mistakes.
 */
export type ExplainedSignature = {
  scheme: 'agent' | 'direct' | 'multiSig';
  typeString: string;
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  /**
   * The encoded action; like the next two fields, it is null for a direct action. For a wrapper, it
   * does not include the `type`.
   */
  msgpack: string | null;
  preimage: string | null;
  /** The hash of the action; for a wrapper, this is the `multiSigActionHash`. */
  connectionId: string | null;
  structHash: string;
  digest: string;
  txHash: string;
  /** The signer; null if it cannot be recovered. */
  signer: string | null;
  role: SignerRole;
  /** The owner of the agent, if the signer is an agent. */
  owner: string | null;
  agentName: string | null;
  /**
   * The mistakes that were tried. The list is empty unless the role is `none`; the match, if any,
   * is the last entry.
   */
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

/** The result and cost of one entry of a simulated action. */
export type SimulatedOrder = OrderResult & {
  /** The size that would rest in the book. */
  restingSz: string;
  fee: string;
  feeRate: string;
  builderFee: string;
  delayMs: number;
};

/** The position after the action; its size is 0 if the action would close the position. */
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
  /** The cross margin of the perp sub-account after the action; null if there is no account. */
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

/** The remaining budgets of the requesting client. */
export type RateLimit = {
  ip: string;
  time: number;
  info: Budget;
  exchange: Budget;
  explainSignature: Budget;
  simulate: Budget;
  /**
   * The client's time budget on the venue's main thread, in milliseconds; absent if there are no
   * limits.
   */
  work?: { limit_ms_per_second: number; remaining_ms: number };
  ws: Connections;
  apiWs: Connections;
  wsRtds: Connections;
  faucetNextTime: number | null;
};

/** The hash of the venue's whole state after a block. */
export type StateHash = { height: number; blockTime: number; stateHash: string };

/** Clients' signing mistakes, in the order they are checked. The names are part of the API. */
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
