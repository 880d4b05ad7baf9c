/** The stable error names and their codes. A code is never reused for another meaning. */
export const ERROR_CODES = {
  OK: 0,
  INVALID: 10000,
  NOT_ALLOWED: 10001,
  BAD_REQUEST: 10002,
  UNAUTHORIZED: 10003,
  BAD_NONCE: 10004,
  MISMATCH: 10005,
  NO_ACCOUNT: 10006,
  GATED: 10007,
  AGENT: 10008,
  LEVERAGE: 10009,
  MARGIN: 10010,
  ORDER: 10011,
  BUILDER: 10012,
  VERSION: 10013,
  FUNDS: 10014,
  OUTCOME: 10015,
  EXPIRED: 10016,
  DEPLOY: 10017,
  RATE_LIMITED: 10029,
  NOT_FOUND: 10404,
  INTERNAL: 10500,
  UNAVAILABLE: 10503,
} as const;

/** An error name, or `OK`, which represents the absence of an error. */
type ErrorName = keyof typeof ERROR_CODES;

/** An error name that a refusal can have. */
export type RefusalName = Exclude<ErrorName, 'OK'>;

type ErrorCode = (typeof ERROR_CODES)[ErrorName];

/**
 * The data in a refusal, in addition to its message, that a client can use to correct its request.
 */
export type Details = {
  /** The path of the field in the request, such as `orders[3].p`. */
  readonly field?: string;
  /** The invalid value, if it is a scalar. */
  readonly got?: string | number | null;
  /** The accepted values, or the accepted range. */
  readonly allowed?:
    | readonly (string | number)[]
    | { readonly min?: string | number; readonly max?: string | number; readonly step?: string };
  /** The nearest accepted values below and above; null if there is none on that side. */
  readonly nearest?: readonly [string | null, string | null];
  /** The required funds, margin or shares. */
  readonly required?: string;
  /** The available funds, margin or shares. */
  readonly available?: string;
  /** The reserved amounts, largest first, each with its purpose. */
  readonly reservedBy?: readonly { readonly what: string; readonly amount: string }[];
  /** The name of the client's exhausted budget. */
  readonly budget?: string;
  readonly limit_ms_per_second?: number;
  readonly remaining_ms?: number;
  /** The exact reason, if several reasons have the same message. */
  readonly why?: string;
  /** The path of the explanation in the documentation, set by `wireError`. */
  readonly docs?: string;
};

/** A refusal as sent to the client. The API server adds the envelope of the endpoint. */
export type WireError = {
  readonly code: ErrorCode;
  readonly name: RefusalName;
  readonly message: string;
  readonly details?: Details;
  /** The HTTP status, which is not part of the body. */
  readonly httpStatus: number;
};

/** The HTTP status for refusals with these names; all others have status 200. */
const HTTP_STATUS: Partial<Record<RefusalName, number>> = {
  BAD_REQUEST: 400,
  VERSION: 400,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
};

/**
 * Builds a refusal. `httpStatus` overrides the name's status, because endpoints can differ: an
 * unknown /info type has status 403.
 */
export function wireError(
  name: RefusalName,
  message: string,
  details?: Details,
  httpStatus?: number,
): WireError {
  return {
    code: ERROR_CODES[name],
    name,
    message,
    details: { ...details, docs: `/docs/errors#${name}` },
    httpStatus: httpStatus ?? httpStatusOf(name),
  };
}

/** Returns the HTTP status of refusals with this name. */
export function httpStatusOf(name: string): number {
  return Object.hasOwn(HTTP_STATUS, name) ? (HTTP_STATUS[name as RefusalName] ?? 200) : 200;
}

/** Formats a path as shown in the API, for example `orders[3].p`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** Returns the field name shown for a path in a refusal. */
export function nameOf(path: readonly PropertyKey[]): string {
  return String(path.findLast((part) => typeof part === 'string') ?? 'action');
}

/** Returns the value at a path in a request, or undefined if there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/**
 * Builds the details of an invalid field: its path, its value if it is a scalar, and the accepted
 * values.
 */
export function detailsOf(field: string, value: unknown, allowed: Details['allowed']): Details {
  const isScalar = typeof value === 'string' || typeof value === 'number' || value === null;
  return {
    ...(field === '' ? {} : { field }),
    ...(isScalar ? { got: value } : {}),
    ...(allowed === undefined ? {} : { allowed }),
  };
}
