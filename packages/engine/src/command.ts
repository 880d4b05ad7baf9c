import type { Address, Hash, InstrumentId, TimeMs } from '@oddlot/units';
import type { PerpDefinition } from './perp/definition.ts';
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
  | CancelByClientIdCommand;

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
export type RegisterPerpCommand = { readonly type: 'registerPerp'; readonly perp: PerpDefinition };

/** Reports what the reference markets say, observed at `observedMs`. */
export type PushOracleCommand = {
  readonly type: 'pushOracle';
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
  /** The client's own id as it was sent; two are equal when their 16 bytes are (R-cloid). */
  readonly clientOrderId?: string;
  readonly priceInexact?: true;
  readonly sizeInexact?: true;
};

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

/** Commands that an account signs, directly or through an agent. */
export type SignedCommand = Extract<Command, { authority: Authority }>;

/** True for commands that carry a signature. */
export function isSigned(command: Command): command is SignedCommand {
  return 'authority' in command;
}
