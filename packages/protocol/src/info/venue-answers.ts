import type { Details } from '../errors.ts';

/** What the venue queries and the write endpoints answer. */

/** A notice beside a success: nothing failed, but something is not as the client may think. */
export type Warning = { code: string; message: string; details?: object };

/** The block up to which an answer from the history is complete. */
export type HistoryAsOf = { height: number; time: number };

/** The envelope of answers of /info, /account, /account-status and /request-fund. */
export type InfoEnvelope<Data> =
  | {
      success: true;
      code: 0;
      data: Data;
      /** Of answers from the history. */
      asOf?: HistoryAsOf;
      /** Of paged ones: where the next page begins; null behind the last row. */
      nextCursor?: string | null;
      warnings?: Warning[];
    }
  | { success: false; code: number; message: string; name?: string; details?: Details };

/** The one status of an action. */
export type ActionResultStatus =
  | 'success'
  | { error: string; code?: number; name?: string; details?: Details };

/** What became of one entry of an action, told when the sender waits for the execution. */
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

/** Where the relay of the venue serves; no address without one. */
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
  /** An endpoint that wallets may use; null when the operator names none. */
  settlement_rpc_url: string | null;
  /** Test USDC of one grant of the faucet; null where there is none. */
  faucet_amount: string | null;
  /** Simulated traders make the books. */
  simulated_traders: boolean;
  /** Their accounts; none where nobody is simulated. */
  simulated_accounts: string[];
  /** `leaderboard` is answered: the operator has not switched it off. */
  has_leaderboard: boolean;
  /** The processes that serve this venue, by the addresses that their operator gave; absent where there is one. */
  replicas?: { replica: string; url: string; height: number }[];
};

/** Who may take new risk on a channel, and how many its lists name. */
export type VenueGate = {
  channel: 0 | 1;
  mode: 'open' | 'whitelist' | 'accessCode' | 'closed';
  whitelist: number;
  blacklist: number;
  accessCodes: number;
  grants: number;
};

/** Whom the lists of a gate name, each newest first and cut after a thousand. Codes are masked. */
export type GateLists = {
  channel: 0 | 1;
  whitelist: string[];
  blacklist: string[];
  accessCodes: { accessCode: string; maxUses: number; uses: number }[];
  grants: { user: string; accessCode: string; grantedTime: number }[];
};

/** How old the oracle price of a perp is. */
export type VenueOracle = {
  coin: string;
  /** Neither halted nor delisted, which a perp is from the first entry of its closing hour on. */
  trading: boolean;
  /** Milliseconds; null before the first price. */
  ageMs: number | null;
  stale: boolean;
};

/** Who operates the venue, and how it does; all of it is of one block. */
export type VenueStatus = {
  height: number;
  time: number;
  /** Who may send `venueAdmin`, and who `outcomeDeploy`. */
  admins: string[];
  deployers: string[];
  gates: VenueGate[];
  oracles: VenueOracle[];
  /** In USDC: the account value of the fund, below zero while it owes. */
  insuranceFund: string;
  insuranceTarget: string;
  treasury: string;
  accounts: number;
  /** Outcome orders that wait in the delay queue. */
  queuedOrders: number;
  /** Withdrawals that the bridge has not settled. */
  openWithdrawals: number;
  /** They wait: the insurance fund is deep below zero (R-deficit). */
  withdrawalsWait: boolean;
};

/** What has to be right for a venue to be ready; without its history it still is. */
export type HealthCheck =
  | 'stopping'
  | 'log'
  | 'cluster'
  | 'disk'
  | 'clock'
  | 'bridge'
  | 'prices'
  | 'history';

/** How the settlement chain is followed. */
export type SettlementHealth = {
  chainId: number;
  /** `ok`, or what is in the way. */
  state: string;
  /** The newest block of the chain, and the one up to which deposits are credited. */
  head: number;
  readTo: number;
  /** Whether all confirmed blocks are read. */
  current: boolean;
  /** Null until the bridge has been looked at. */
  paused: boolean | null;
};

/** How the process does that answers; another one that serves the same venue may do otherwise. */
export type VenueHealth = {
  /** Of the venue's clock. */
  time: number;
  height: number;
  /** Since the last block. */
  blockAgeMs: number;
  ready: boolean;
  /** Which checks say no; a venue that only lacks its history is ready all the same. */
  failing: HealthCheck[];
  /** Commands that wait for a block. */
  waitingCommands: number;
  /** Blocks that the history has yet to write. */
  historyLag: number;
  connections: { ws: number; apiWs: number; wsRtds: number };
  /** Streams that somebody listens to. */
  streams: number;
  /** Null without a settlement chain. */
  settlement: SettlementHealth | null;
};

/** What a permit deposit was sent as. */
export type PermitDeposit = { txHash: string };

/** A step of the fee ladder; rates are fractions. */
export type FeeTierRow = {
  level: number;
  min14dTradingVolume: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
};

/** Rates by the trading volume of the last 14 days. */
export type FeeTierInfo = { tiers: FeeTierRow[] };

/** Where an account stands on the fee ladder; at its top there is no next level. */
export type FeeTierRates = {
  user: string;
  level: number;
  volume14d: string;
  perpMakerFeeRate: string;
  perpTakerFeeRate: string;
  /** The default; a market's own rate holds. */
  outcomeTakerFeeRate: string;
  nextLevel: number | null;
  nextMin14dTradingVolume: string | null;
};

/** What the faucet granted. */
export type FaucetGrant = {
  user: string;
  amount: string;
  token: 'USDC';
  txHash: string;
  nextRequestTime: number;
};

/** Which action a receipt is of. */
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

/** What every status but `unknown` has, and one of each field by its status. */
type Receipt<Status, Block, Result, Failure> = ActionNames & {
  status: Status;
  block: Block;
  result: Result;
  error: Failure;
};

/** The receipt of an action. Its `status` tells which of the other fields are there. */
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

/** What an address is to the venue; `expected` is one that only the asking client knows. */
export type SignerRole =
  | 'account'
  | 'agent'
  | 'deployer'
  | 'admin'
  | 'multiSigSigner'
  | 'expected'
  | 'none';

/** What a signature is over and whose it is; of nobody's signature also what may have gone wrong. */
export type ExplainedSignature = {
  scheme: 'agent' | 'direct' | 'multiSig';
  typeString: string;
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  /** Null for a direct action, like the next two; a wrapper's is without its `type`. */
  msgpack: string | null;
  preimage: string | null;
  /** Of a wrapper the `multiSigActionHash`. */
  connectionId: string | null;
  structHash: string;
  digest: string;
  txHash: string;
  /** Null when nobody can have signed. */
  signer: string | null;
  role: SignerRole;
  /** Whom an agent acts for. */
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

/** What would become of one entry of an action, and what it would cost. */
export type SimulatedOrder = OrderResult & {
  /** What would rest in the book. */
  restingSz: string;
  fee: string;
  feeRate: string;
  builderFee: string;
  delayMs: number;
};

/** A position that an action would touch, afterwards; of size 0 when it would close. */
export type SimulatedPosition = {
  instrumentId: number;
  szi: string;
  entryPx: string;
  leverage: number;
  marginUsed: string;
  liquidationPx: string;
};

/** What an action would do to the state after block `height`. */
export type SimulatedAction = {
  height: number;
  time: number;
  accepted: boolean;
  error: ActionStatus['error'];
  orders: SimulatedOrder[];
  /** The cross scope of the perp sub-account, afterwards; null without an account. */
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

/** What is left of a request budget. */
type Budget = { limit: number; windowMs: number; remaining: number; resetMs: number };

/** Open connections of a client. */
type Connections = { limit: number; open: number };

/** The budgets of the asking client. */
export type RateLimit = {
  ip: string;
  time: number;
  info: Budget;
  exchange: Budget;
  explainSignature: Budget;
  simulate: Budget;
  /** What requests may cost the venue, in milliseconds of its main thread; absent where nobody is limited. */
  work?: { limit_ms_per_second: number; remaining_ms: number };
  ws: Connections;
  apiWs: Connections;
  wsRtds: Connections;
  faucetNextTime: number | null;
};

/** The hash of the venue's whole state after a block. */
export type StateHash = { height: number; blockTime: number; stateHash: string };

/**
 * What a client can do wrong when it signs, in the order in which it is looked for. The names are
 * part of the interface.
 */
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

/** The name of a mistake. */
export type Mistake = (typeof MISTAKES)[number];
