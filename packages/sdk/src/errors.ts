import {
  type Details,
  nonceTooFar,
  type RefusalName,
  type StreamErrorCode,
  type WireError,
} from '@oddlot/protocol';

/**
 * The base class of all errors that this package throws:
 *
 *     VenueError
 *     ├─ ValidationError   the request is malformed; nothing was sent
 *     ├─ SigningError      there is no wallet, it did not sign, or it signs for another network; nothing was executed
 *     ├─ TransportError
 *     │  ├─ HttpError      no readable response arrived, after all retries
 *     │  └─ SocketError    a stream was refused or cannot continue
 *     └─ ApiError          the venue responded with a refusal
 *        └─ ExpiredError   an action arrived after its expiry and was not executed
 */
export class VenueError extends Error {
  override readonly name: string = 'VenueError';
}

/** A malformed request, which was detected before it was signed or sent. */
export class ValidationError extends VenueError {
  override readonly name = 'ValidationError';
  /** The field in the request and its accepted values. */
  readonly details: Details | undefined;

  constructor(message: string, { details, cause }: { details?: Details; cause?: unknown } = {}) {
    super(message, { cause });
    this.details = details;
  }

  /** Creates the error from a fault that the shared schemas report. The message names the field. */
  static of({ message, details }: WireError): ValidationError {
    const got = details?.got === undefined ? '' : ` (got ${JSON.stringify(details.got)})`;
    const at = details?.field === undefined ? '' : ` at ${details.field}`;
    return new ValidationError(`${message}${at}${got}`, details === undefined ? {} : { details });
  }
}

/**
 * The wallet is missing, refused to sign, signed other data, or signs for a network other than the
 * venue's.
 */
export class SigningError extends VenueError {
  override readonly name = 'SigningError';
}

/** The venue could not be reached, or its response could not be read. */
export class TransportError extends VenueError {
  override readonly name: string = 'TransportError';
}

/** The data of an `HttpError` in addition to its message. */
export type HttpFacts = {
  /** The HTTP status; undefined if there was no response. */
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  /** The hash of a signed action whose result is unknown. Query it with `info.actionStatus`. */
  readonly txHash?: string | undefined;
  /**
   * The consensus time at which the action expires. If it has not been executed by then, it never
   * will be.
   */
  readonly expiresAfter?: number | undefined;
  readonly cause?: unknown;
};

/** A request that received no readable response. An action may or may not have been executed. */
export class HttpError extends TransportError {
  override readonly name = 'HttpError';
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly txHash: string | undefined;
  readonly expiresAfter: number | undefined;

  constructor(message: string, { status, body, txHash, expiresAfter, cause }: HttpFacts = {}) {
    super(message, { cause });
    this.status = status;
    this.body = body;
    this.txHash = txHash;
    this.expiresAfter = expiresAfter;
  }
}

/** The venue refused a stream, or the reader of the stream fell too far behind. */
export class SocketError extends TransportError {
  override readonly name = 'SocketError';
  /** The venue's error code, if the venue refused the stream. */
  readonly code: StreamErrorCode | undefined;

  constructor(
    message: string,
    { code, cause }: { code?: StreamErrorCode | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
  }
}

export type ApiFacts = {
  readonly code: number;
  readonly name?: string | undefined;
  readonly message: string;
  readonly details?: Details | undefined;
  readonly httpStatus: number;
  /** How long the venue asks the client to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The complete response as received. */
  readonly response: unknown;
};

/** A refusal by the venue. The request had no effect. */
export class ApiError extends VenueError {
  /** The stable name of the refusal, such as `MARGIN`. Compare this name, not `code`. */
  override readonly name: RefusalName | (string & {});
  readonly code: number;
  readonly details: Details | undefined;
  readonly httpStatus: number;
  readonly retryAfterMs: number | undefined;
  readonly response: unknown;

  constructor(facts: ApiFacts) {
    super(facts.message);
    this.name = facts.name ?? 'ApiError';
    this.code = facts.code;
    this.details = facts.details;
    this.httpStatus = facts.httpStatus;
    this.retryAfterMs = facts.retryAfterMs;
    this.response = facts.response;
  }
}

export type ExpiredAction = { readonly txHash: string; readonly expiresAfter?: number | undefined };

/**
 * The action reached the venue after its expiry. It was not executed and never will be, because the
 * venue's clock never goes backwards, and an accepted earlier attempt would have returned its
 * receipt.
 */
export class ExpiredError extends ApiError {
  /**
   * The hash of the action. `info.actionStatus` reports it as `unknown`, or as `failed` if it
   * expired while queued for a block.
   */
  readonly txHash: string;
  readonly expiresAfter: number | undefined;

  constructor(refusal: ApiError, { txHash, expiresAfter }: ExpiredAction) {
    const { name, message, ...facts } = refusal;
    super({ ...facts, name, message: `Not executed: the request arrived too late. ${message}` });
    this.txHash = txHash;
    this.expiresAfter = expiresAfter;
  }
}

/**
 * Returns true for a refusal after which the same bytes can never be executed, because their nonce
 * was consumed or is too low. A nonce that is too far in the future becomes valid later.
 */
export function isNonceSpent({ message, name }: ApiError): boolean {
  return name === 'BAD_NONCE' && message !== nonceTooFar();
}

/**
 * Calls a user's listener. If the listener throws, the error is reported separately and the caller
 * continues.
 */
export function callApart<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
