import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { FeeTier } from './ledger/fee-tiers.ts';
import type { PerpChanges, PerpListing } from './perp/definition.ts';
import type { VenueParameters } from './parameters.ts';

/**
 * What can be asked of the venue. A command is plain data that survives JSON: numbers are integers
 * in the units of R-units, money is a safe count of micro-USDC. It says who signed, never whether
 * they may: authority is judged when the command executes.
 */
export type Command =
  | GenesisCommand
  | AttestCommand
  | RegisterPerpCommand
  | PushOracleCommand
  | CreditFaucetCommand
  | ApproveAgentCommand
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
  | SetPerpCommand
  | SetFeeTiersCommand;

/** Who signed a command, and what makes it unique. */
export type Authority = {
  readonly signer: Address;
  readonly nonce: number;
  readonly txHash: Hash;
  /** The command is refused when consensus time is past this. */
  readonly expiresAfterMs?: TimeMs;
};

/** The first command of every log: the numbers that the rulebook leaves to configuration. */
export type GenesisCommand = { readonly type: 'genesis'; readonly parameters: VenueParameters };

/**
 * What a replica computed for an earlier block. It changes nothing: whoever applies it compares, and
 * stops when its own hash differs.
 */
export type AttestCommand = {
  readonly type: 'attest';
  readonly height: number;
  readonly hash: Hash;
};

/** Lists a perpetual. */
export type RegisterPerpCommand = {
  readonly type: 'registerPerp';
  readonly operator?: Operator;
  readonly perp: PerpListing;
};

/** Reports what the reference markets say, observed at `observedMs`. */
export type PushOracleCommand = {
  readonly type: 'pushOracle';
  readonly operator?: Operator;
  readonly prices: readonly OraclePrice[];
  readonly observedMs: TimeMs;
};

export type OraclePrice = {
  readonly instrumentId: InstrumentId;
  readonly oracle: number;
  /** A perpetual price from elsewhere: C of R-mark. */
  readonly external?: number;
};

export type SubAccount = 'perp' | 'outcome';

/** Test money. The limits on how often are the edge's. */
export type CreditFaucetCommand = {
  readonly type: 'creditFaucet';
  readonly account: Address;
  readonly subAccount: SubAccount;
  readonly amountMicroUsdc: number;
};

/** Binds, rebinds or (with the zero address) revokes the agent under a label. */
export type ApproveAgentCommand = {
  readonly type: 'approveAgent';
  readonly authority: Authority;
  readonly agent: Address;
  /** The empty label is the single unnamed agent. */
  readonly label: string;
};

export type PlaceOrdersCommand = {
  readonly type: 'placeOrders';
  readonly authority: Authority;
  readonly orders: readonly OrderRequest[];
  /** Absent means none. */
  readonly grouping?: Grouping;
  readonly builder?: { readonly address: Address; readonly feeTenthsBp: number };
};

/** How long an order lives (R-tif). `market` is an `ioc` whose price is clamped near the mark. */
export type TimeInForce = 'gtc' | 'gtd' | 'alo' | 'ioc' | 'market';

/**
 * One order as it was asked for. Price and size are unchecked counts; a decimal that does not lie on
 * the instrument's grid is rounded down and flagged, so that one pipeline judges every order.
 */
export type OrderRequest = {
  readonly instrumentId: InstrumentId;
  readonly isBuy: boolean;
  readonly price: number;
  readonly size: number;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce;
  readonly expireMs?: TimeMs;
  /** The margin mode that the order asks for; by default the instrument's current one. */
  readonly marginMode?: MarginMode;
  /** Present on an order that waits off the book for the mark (R-trigger). */
  readonly trigger?: TriggerRequest;
  /** The client's own id as it was sent; two are equal when their 16 bytes are (R-cloid). */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

export type MarginMode = 'cross' | 'isolated';

/** When a waiting order fires, and as what. */
export type TriggerRequest = {
  readonly kind: 'takeProfit' | 'stopLoss';
  readonly price: number;
  /** A market order under the slippage cap, or a limit order at the order's price. */
  readonly isMarket: boolean;
  readonly priceInexact?: true;
};

/** How the orders of one action belong together (R-grouping). */
export type Grouping = 'none' | 'normal' | 'position';

export type CancelOrdersCommand = {
  readonly type: 'cancelOrders';
  readonly authority: Authority;
  readonly cancels: readonly { readonly instrumentId: InstrumentId; readonly orderId: number }[];
};

export type CancelByClientIdCommand = {
  readonly type: 'cancelByClientId';
  readonly authority: Authority;
  readonly cancels: readonly {
    readonly instrumentId: InstrumentId;
    readonly clientOrderId: string;
  }[];
};

/** Amends price and size of a resting order; `size` is the new total (R-modify). */
export type ModifyOrderCommand = {
  readonly type: 'modifyOrder';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly target: { readonly orderId: number } | { readonly clientOrderId: string };
  readonly price: number;
  readonly size: number;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

/** Cancels every resting and waiting order in scope. */
export type CancelAllCommand = {
  readonly type: 'cancelAll';
  readonly authority: Authority;
  readonly instrumentId?: InstrumentId;
  readonly subAccount?: SubAccount;
};

/** The dead man's switch; without a time the schedule is removed. */
export type ScheduleCancelCommand = {
  readonly type: 'scheduleCancel';
  readonly authority: Authority;
  readonly atMs?: TimeMs;
};

/** Closes a position and opens the same size on the other side, as far as the book allows. */
export type ReversePositionCommand = {
  readonly type: 'reversePosition';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy?: boolean;
};

export type UpdateLeverageCommand = {
  readonly type: 'updateLeverage';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Signed only in hedge mode with isolated margin, where the sign picks the side. */
  readonly leverage: number;
  readonly marginMode?: MarginMode;
};

export type UpdateMarginModeCommand = {
  readonly type: 'updateMarginMode';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  readonly marginMode: MarginMode;
};

export type UpdateIsolatedMarginCommand = {
  readonly type: 'updateIsolatedMargin';
  readonly authority: Authority;
  readonly instrumentId: InstrumentId;
  /** Picks the long or the short leg in hedge mode. */
  readonly isBuy: boolean;
  /** Positive adds, negative removes. */
  readonly amountMicroUsdc: number;
};

export type UpdatePositionModeCommand = {
  readonly type: 'updatePositionMode';
  readonly authority: Authority;
  readonly mode: 'oneWay' | 'hedge';
};

/** Changes a listed perpetual; absent fields stay. */
export type SetPerpCommand = {
  readonly type: 'setPerp';
  readonly operator?: Operator;
  readonly instrumentId: InstrumentId;
  readonly halted?: boolean;
  readonly delisted?: true;
  readonly changes: PerpChanges;
};

export type SetFeeTiersCommand = {
  readonly type: 'setFeeTiers';
  readonly operator?: Operator;
  readonly tiers: readonly FeeTier[];
};

/** The operator's own signature, on commands that came over the wire and not from the venue itself. */
export type Operator = Authority;

/** Commands that an account signs, directly or through an agent. */
export type SignedCommand = Extract<Command, { authority: Authority }>;

/** True for commands that carry a signature. */
export function isSigned(command: Command): command is SignedCommand {
  return 'authority' in command;
}

/** Commands of the operator: signed when they came over the wire, trusted from the process itself. */
export type OperatorCommand = Extract<Command, { readonly operator?: Operator }>;

/** True for commands of the operator. */
export function isOperator(command: Command): command is OperatorCommand {
  switch (command.type) {
    case 'registerPerp':
    case 'setPerp':
    case 'pushOracle':
    case 'setFeeTiers':
      return true;
    default:
      return false;
  }
}
