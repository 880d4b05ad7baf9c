import { MESSAGE_NAMES, MESSAGES, type MessageKey, type RefusalName } from '@oddlot/protocol';
import { ApiError, HttpError, SigningError, VenueError } from '@oddlot/sdk';
import {
  AccountNotEnabled,
  AuthenticationError,
  BadRequest,
  BadSymbol,
  BaseError,
  DuplicateOrderId,
  ExchangeError,
  ExchangeNotAvailable,
  InsufficientFunds,
  InvalidAddress,
  InvalidNonce,
  InvalidOrder,
  MarketClosed,
  NotSupported,
  OperationRejected,
  OrderImmediatelyFillable,
  OrderNotFound,
  PermissionDenied,
  RateLimitExceeded,
  RequestTimeout,
} from 'ccxt';

type ErrorClass = new (message: string) => Error;

/** The error class for each refusal from the venue. The compiler requires a row for each name. */
const CLASSES: Readonly<Record<RefusalName, ErrorClass>> = {
  INVALID: BadRequest,
  NOT_ALLOWED: NotSupported,
  BAD_REQUEST: BadRequest,
  UNAUTHORIZED: AuthenticationError,
  BAD_NONCE: InvalidNonce,
  MISMATCH: AuthenticationError,
  NO_ACCOUNT: AccountNotEnabled,
  GATED: PermissionDenied,
  AGENT: OperationRejected,
  LEVERAGE: OperationRejected,
  MARGIN: InsufficientFunds,
  ORDER: InvalidOrder,
  BUILDER: OperationRejected,
  VERSION: NotSupported,
  FUNDS: BadRequest,
  OUTCOME: OperationRejected,
  // The action reached the venue too late and will never be executed, so this is not a network
  // error.
  EXPIRED: OperationRejected,
  DEPLOY: OperationRejected,
  RATE_LIMITED: RateLimitExceeded,
  NOT_FOUND: BadRequest,
  INTERNAL: ExchangeNotAvailable,
  UNAVAILABLE: ExchangeNotAvailable,
};

/** The classes for refusals where ccxt has a more specific class than the one for their name. */
const EXACT_CLASSES: Readonly<Partial<Record<MessageKey, ErrorClass>>> = {
  priceOffTick: InvalidOrder,
  sizeOffLot: InvalidOrder,
  sizeAboveMax: InvalidOrder,
  sizeBelowMin: InvalidOrder,
  valueBelowMin: InvalidOrder,
  priceOutOfRange: InvalidOrder,
  priceFarFromOracle: InvalidOrder,
  mixedExchanges: InvalidOrder,
  tradingHalted: MarketClosed,
  delisted: MarketClosed,
  oracleStale: MarketClosed,
  faucetLimit: RateLimitExceeded,
  noIsolatedPosition: OperationRejected,
  noPosition: OperationRejected,
  positionLimit: InvalidOrder,
  marketClosing: MarketClosed,
  marketClosed: MarketClosed,
  orderNotFound: OrderNotFound,
  orderGone: OrderNotFound,
  noSuchOrder: OrderNotFound,
  postOnlyWouldMatch: OrderImmediatelyFillable,
  duplicateCloid: DuplicateOrderId,
  invalidAddress: InvalidAddress,
  notOutcome: BadSymbol,
  outcomeResolved: MarketClosed,
  insufficientShares: InsufficientFunds,
  insufficientSharesToMerge: InsufficientFunds,
  eventNotFound: BadSymbol,
  instrumentNotFound: BadSymbol,
};

/** The refusal texts as patterns in which each placeholder matches any text. */
const PATTERNS: readonly (readonly [MessageKey, RegExp])[] = Object.entries(MESSAGES).map(
  ([key, build]) => {
    const blank = '\u0000';
    const blanks = Array.from({ length: build.length }, () => blank);
    const text = (build as (...values: string[]) => string)(...blanks);
    const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(blank, '.*');
    return [key as MessageKey, new RegExp(`^${pattern}$`)];
  },
);

/** The path with which the venue's error message for a failed entry begins. */
const ENTRY_PATH = /^\w+\[\d+\]: /;

type Refusal = { readonly message: string; readonly name?: string | undefined };

/** Returns the error class for a refusal. A refused order entry has only the message. */
function errorClassOf({ message, name }: Refusal): ErrorClass {
  const text = message.replace(ENTRY_PATH, '');
  const key = PATTERNS.find(([, pattern]) => pattern.test(text))?.[0];
  const exact = key === undefined ? undefined : EXACT_CLASSES[key];
  if (exact !== undefined) return exact;
  const named = name ?? (key === undefined ? '' : MESSAGE_NAMES[key]);
  return Object.hasOwn(CLASSES, named) ? CLASSES[named as RefusalName] : ExchangeError;
}

/** Builds the error for a refusal, with the venue's complete response in its message. */
export function refusalError(id: string, refusal: Refusal, answer: unknown = refusal): Error {
  return new (errorClassOf(refusal))(`${id} ${JSON.stringify(answer)}`);
}

/** Converts an SDK error to the corresponding ccxt error, and returns any other error unchanged. */
export function ccxtError(id: string, error: unknown): unknown {
  if (error instanceof ApiError) return refusalError(id, error, error.response);
  if (error instanceof HttpError) return unknownResult(id, error);
  if (error instanceof SigningError) return new AuthenticationError(`${id} ${error.message}`);
  if (error instanceof VenueError) return new BadRequest(`${id} ${error.message}`);
  return error;
}

/**
 * Builds the error for an action that got no response and may have been executed. The message
 * includes the hash with which `actionStatus` returns the result.
 */
function unknownResult(id: string, { cause, message, txHash }: HttpError): Error {
  const name = txHash === undefined ? '' : ` txHash ${txHash}`;
  const text = cause instanceof Error ? cause.message : message;
  const Known = cause instanceof BaseError ? (cause.constructor as ErrorClass) : RequestTimeout;
  return new Known(`${id} ${text}${name}`);
}
