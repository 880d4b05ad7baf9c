import type { Json } from '../support/client.ts';
import type { Answer } from './pipeline.ts';

/** Checks that a response has one of the documented forms. */

const NAMES: Readonly<Record<number, string>> = {
  10000: 'INVALID',
  10001: 'NOT_ALLOWED',
  10002: 'BAD_REQUEST',
  10003: 'UNAUTHORIZED',
  10004: 'BAD_NONCE',
  10005: 'MISMATCH',
  10006: 'NO_ACCOUNT',
  10007: 'GATED',
  10008: 'AGENT',
  10009: 'LEVERAGE',
  10010: 'MARGIN',
  10011: 'ORDER',
  10012: 'BUILDER',
  10013: 'VERSION',
  10014: 'FUNDS',
  10015: 'OUTCOME',
  10016: 'EXPIRED',
  10017: 'DEPLOY',
  10404: 'NOT_FOUND',
};

/** The error codes that each status may have. /exchange sends all other errors with status 200. */
const CODES: Readonly<Record<number, readonly number[]>> = {
  400: [10002, 10013],
  403: [10001],
  413: [10002],
  415: [10002],
  429: [10000],
};

/** Returns why a response is undocumented, or undefined if it is documented. */
export function faultOf(path: string, { status, text }: Answer): string | undefined {
  const json = parsed(text);
  if (typeof json !== 'object' || json === null) return 'no JSON object';
  if (path === '/exchange') return exchangeFault(status, json);
  if (status === 429 && path !== '/request-fund') return 'a limit that does not exist';
  if (json.success === true) {
    if (status !== 200 || json.code !== 0) return 'a success with another status or code';
    return 'data' in json && !('message' in json) ? undefined : 'a success without data';
  }
  if (json.success !== false) return 'neither a success nor a failure';
  if ('data' in json) return 'a failure with data';
  return typeof json.message === 'string' ? refusalFault(status, json) : 'a failure without a text';
}

/** Returns a response's `code`, for statistics. */
export function codeOf({ text }: Answer): number | undefined {
  return parsed(text)?.code;
}

function exchangeFault(status: number, json: Json): string | undefined {
  if (json.status === 'pending') {
    const isKnown = status === 202 && /^0x[0-9a-f]{64}$/.test(json.txHash);
    return isKnown ? undefined : 'pending without a hash';
  }
  if (json.status === 'ok') {
    const statuses = json.data?.data?.statuses;
    const isWhole = status === 200 && json.code === 0 && typeof json.data?.type === 'string';
    return isWhole && statuses?.length === 1 ? undefined : 'a success without its one status';
  }
  if (json.status !== 'err') return 'an unknown status';
  if (status === 403 || status === 429) return 'a status that /exchange does not have';
  const texts = [json.message, json.response].filter((text) => typeof text === 'string');
  return texts.length === 1 && texts[0] !== '' ? refusalFault(status, json) : 'not one text';
}

function refusalFault(status: number, { code, name, details }: Json): string | undefined {
  if (NAMES[code] === undefined) return `an unknown code ${code}`;
  if (NAMES[code] !== name) return `code ${code} with the name ${name}`;
  if (details !== undefined && typeof details !== 'object') return 'details that are not an object';
  if (status === 200) return code === 10002 ? 'code 10002 with status 200' : undefined;
  return CODES[status]?.includes(code) ? undefined : `status ${status} with code ${code}`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
