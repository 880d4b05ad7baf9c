import type { Hash } from '@oddlot/units';
import type {
  ApproveAgentCommand,
  ApproveBuilderCommand,
  Authority,
  ConvertToMultiSigCommand,
  Operator,
  RevokeBuilderCommand,
} from './commands/keys.ts';
import type {
  ClaimBuilderRewardsCommand,
  CreditDepositCommand,
  CreditFaucetCommand,
  OpenBridgeCommand,
  PublishReservesCommand,
  RegisterPegsCommand,
  SendTokenCommand,
  WithdrawCommand,
} from './commands/money.ts';
import type {
  PushOracleCommand,
  RegisterPerpCommand,
  RegisterVaultCommand,
  SetFeeTiersCommand,
  SetGateCommand,
  SetOperatorsCommand,
  SetPerpCommand,
  SettleWithdrawalCommand,
  TreasurySendCommand,
} from './commands/operator.ts';
import type {
  CancelAllCommand,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  ModifyOrderCommand,
  PlaceOrdersCommand,
  ReversePositionCommand,
  ScheduleCancelCommand,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  UpdateMarginModeCommand,
  UpdatePositionModeCommand,
} from './commands/orders.ts';
import type {
  OperateOutcomeCommand,
  PushPriceCommand,
  RegisterEventCommand,
  RegisterMarketCommand,
  RegisterSeriesCommand,
  ResolveMarketCommand,
  SetTradingCommand,
} from './commands/outcome.ts';
import type { VenueParameters } from './parameters.ts';

export type {
  ApproveAgentCommand,
  ApproveBuilderCommand,
  Authority,
  ConvertToMultiSigCommand,
  MultiSigSet,
  Operator,
  RevokeBuilderCommand,
  SubAccount,
} from './commands/keys.ts';
export type {
  ClaimBuilderRewardsCommand,
  CreditDepositCommand,
  CreditFaucetCommand,
  DepositSource,
  OpenBridgeCommand,
  PublishReservesCommand,
  RegisterPegsCommand,
  SendTokenCommand,
  WithdrawCommand,
} from './commands/money.ts';
export type {
  Exchange,
  GateMode,
  ListChange,
  OraclePrice,
  PushOracleCommand,
  RegisterPerpCommand,
  RegisterVaultCommand,
  SetFeeTiersCommand,
  SetGateCommand,
  SetOperatorsCommand,
  SetPerpCommand,
  SettleWithdrawalCommand,
  TreasurySendCommand,
} from './commands/operator.ts';
export type {
  BuilderTerms,
  CancelAllCommand,
  CancelByClientIdCommand,
  CancelOrdersCommand,
  Grouping,
  MarginMode,
  ModifyOrderCommand,
  OrderRequest,
  PlaceOrdersCommand,
  ReversePositionCommand,
  ScheduleCancelCommand,
  TimeInForce,
  TriggerRequest,
  UpdateIsolatedMarginCommand,
  UpdateLeverageCommand,
  UpdateMarginModeCommand,
  UpdatePositionModeCommand,
} from './commands/orders.ts';
export type {
  EventListing,
  MarketGrid,
  MarketListing,
  OperateEntry,
  OperateOutcomeCommand,
  PriceSource,
  PushPriceCommand,
  Recurrence,
  ReferencePrice,
  RegisterEventCommand,
  RegisterMarketCommand,
  RegisterSeriesCommand,
  ResolveMarketCommand,
  SeriesListing,
  SetTradingCommand,
} from './commands/outcome.ts';

/**
 * What can be asked of the venue. A command is plain data that survives JSON: numbers are integers
 * in the units of R-units, money is a safe count of micro-USDC. It says who signed, never whether
 * they may: authority is judged when the command executes.
 */
export type Command =
  | ApproveAgentCommand
  | ApproveBuilderCommand
  | RevokeBuilderCommand
  | ConvertToMultiSigCommand
  | SendTokenCommand
  | WithdrawCommand
  | ClaimBuilderRewardsCommand
  | PlaceOrdersCommand
  | CancelOrdersCommand
  | CancelByClientIdCommand
  | ModifyOrderCommand
  | CancelAllCommand
  | ScheduleCancelCommand
  | ReversePositionCommand
  | UpdateLeverageCommand
  | UpdateMarginModeCommand
  | UpdateIsolatedMarginCommand
  | UpdatePositionModeCommand
  | OperateOutcomeCommand
  | (CommandOfClass0 & OfTerm);

/** Commands from operators, and those that the venue adds to the log without a request. */
type CommandOfClass0 =
  | GenesisCommand
  | AttestCommand
  | AnnounceEraCommand
  | OpenEraCommand
  | RegisterPerpCommand
  | PushOracleCommand
  | SetPerpCommand
  | SetFeeTiersCommand
  | SetGateCommand
  | RegisterVaultCommand
  | TreasurySendCommand
  | SetOperatorsCommand
  | SettleWithdrawalCommand
  | RegisterEventCommand
  | RegisterMarketCommand
  | RegisterSeriesCommand
  | SetTradingCommand
  | PushPriceCommand
  | ResolveMarketCommand
  | CreditFaucetCommand
  | OpenBridgeCommand
  | CreditDepositCommand
  | RegisterPegsCommand
  | PublishReservesCommand;

/** A command that the holder of a lease proposes carries its term (R-terms); other commands have none. */
export type OfTerm = { readonly term?: HolderTerm };

/** One term of holding a lease, that is a task that a single process of the venue performs at a time. */
export type HolderTerm = {
  readonly lease: string;
  /** Starts at 1 and rises with each term of the lease. */
  readonly number: number;
  /** Identifies the process, so that two that chose the same number cannot both hold the lease. */
  readonly holder: string;
};

/** The first command of every log: the numbers that the rulebook leaves to configuration. */
export type GenesisCommand = { readonly type: 'genesis'; readonly parameters: VenueParameters };

/**
 * What a replica computed for an earlier block. It changes nothing: whoever applies it compares, and
 * stops when its own hash differs.
 */
type AttestCommand = {
  readonly type: 'attest';
  readonly height: number;
  readonly hash: Hash;
  /** Who says so, where there are several; those without a name can't be contested. */
  readonly replica?: string;
  /** Of a block with a snapshot: the keccak of the snapshot's content, that is the whole state. */
  readonly snapshot?: Hash;
};

/**
 * An operator wants other rules (R-era). It changes nothing: replicas that don't know them take no orders from here on, and one
 * that does opens their era. 0 takes it back.
 */
type AnnounceEraCommand = { readonly type: 'announceEra'; readonly rules: number };

/**
 * The first command of an era (R-era): from here on these rules hold. It changes nothing by itself; who
 * applies it has the state that the hash names, and stops when it is another.
 */
export type OpenEraCommand = {
  readonly type: 'openEra';
  readonly rules: number;
  /** Of the canonical dump of the state that the era starts from. */
  readonly stateHash: Hash;
  /** Of the last block of the era before. */
  readonly previousHash: Hash;
};

/** Commands that an account signs, directly or through an agent. */
export type SignedCommand = Extract<Command, { authority: Authority }>;

/** True for commands that carry a signature. */
export function isSigned(command: Command): command is SignedCommand {
  return (command as Partial<SignedCommand>).authority !== undefined;
}

/** Commands that no account signs. */
export type UnsignedCommand = Exclude<Command, SignedCommand>;

/** Commands of the operator: signed when they came over the wire, trusted from the process itself. */
export type OperatorCommand = Extract<Command, { readonly operator?: Operator }>;

/** Who may sign which of them: deployers those on outcome markets, admins all others. */
export type OperatorRole = SetOperatorsCommand['role'];
