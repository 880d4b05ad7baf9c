import * as z from 'zod';
import type { WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { toWireError } from '../to-wire-error.ts';
import { checkUnknownFields, type Named, namedBy } from '../unknown-fields.ts';
import type { NamedType, QueryDefinition } from '../define.ts';
import { ACCOUNT_QUERIES } from './account-queries.ts';
import { HISTORY_QUERIES } from './history-queries.ts';
import { liftCandleSpan, MARKET_QUERIES } from './market-queries.ts';
import { MIN_HEIGHT } from './paging.ts';
import { VENUE_QUERIES } from './venue-queries.ts';
import { nearestName } from '../nearest-name.ts';

/**
 * The /info query types. The parsed types, the clients' shapes (`npm run write-shapes`), and the
 * SDK's methods with their types and comments are derived from these definitions.
 */
export const INFO_QUERIES: typeof MARKET_QUERIES &
  typeof ACCOUNT_QUERIES &
  typeof HISTORY_QUERIES &
  typeof VENUE_QUERIES = {
  ...MARKET_QUERIES,
  ...ACCOUNT_QUERIES,
  ...HISTORY_QUERIES,
  ...VENUE_QUERIES,
};

const AnyQuery = z.object(MIN_HEIGHT);

export type InfoType = keyof typeof INFO_QUERIES;

/** A parsed query of one type, with defaults and resolved aliases. */
export type InfoQueryOf<Type extends InfoType> = z.output<(typeof INFO_QUERIES)[Type]['schema']>;

/**
 * A query in the form that a client may send. Any query may specify the block that its response
 * must include.
 */
export type InfoRequestOf<Type extends InfoType> = z.input<(typeof INFO_QUERIES)[Type]['schema']> &
  z.input<typeof AnyQuery>;

type InfoAnswers = {
  readonly [Type in InfoType]: NamedType<(typeof INFO_QUERIES)[Type]['answer']>;
};

export type InfoAnswerOf<Type extends InfoType> = InfoAnswers[Type];

export type InfoQuery = { [Type in InfoType]: InfoQueryOf<Type> }[InfoType];

/**
 * The result of parsing a query. `clamped` describes a lowered limit, for the warning. `minHeight`
 * is the block to wait for, unless the query itself has a field of this name.
 */
type ParsedInfo =
  | {
      readonly ok: true;
      readonly query: InfoQuery;
      readonly clamped?: { readonly from: number; readonly to: number };
      readonly minHeight?: number | undefined;
    }
  | { readonly ok: false; readonly error: WireError };

const queriesNamed = new Map<string, Named>();

/** Returns the field names of a query's schema, computed at the first request of that type. */
function namedOf(type: InfoType): Named {
  const named = queriesNamed.get(type) ?? namedBy(INFO_QUERIES[type].schema);
  queriesNamed.set(type, named);
  return named;
}

/** Reads an /info request body. */
export function parseInfo(value: unknown): ParsedInfo {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, error: refusal('notAnObject', []) };
  }
  const request = value as Readonly<Record<string, unknown>>;
  const type = request['type'];
  if (type === undefined) {
    return { ok: false, error: refusal('missingField', ['type'], { field: 'type' }) };
  }
  if (typeof type !== 'string') {
    return { ok: false, error: refusal('wrongType', ['type'], { field: 'type' }) };
  }
  if (!Object.hasOwn(INFO_QUERIES, type)) {
    return { ok: false, error: refuseUnknownQuery(type, Object.keys(INFO_QUERIES)) };
  }
  const body = type === 'candleSnapshot' ? liftCandleSpan(request) : request;
  const parsed = INFO_QUERIES[type as InfoType].schema.safeParse(body);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const isLifted = body !== request;
    return {
      ok: false,
      error: isLifted ? toWireError(issues.map(unlifted), request) : toWireError(issues, body),
    };
  }
  const named = namedOf(type as InfoType);
  const unknown = checkUnknownFields(named, body);
  if (unknown !== undefined) return { ok: false, error: unknown };
  const query = parsed.data as InfoQuery;
  const clamped = clampOf(request, query);
  const found = { ok: true, query, ...(clamped && { clamped }) } as const;
  if (request['minHeight'] === undefined || named.keys?.has('minHeight') === true) return found;
  const needed = AnyQuery.safeParse(request);
  if (!needed.success) return { ok: false, error: toWireError(needed.error.issues, request) };
  return { ...found, minHeight: needed.data.minHeight };
}

/** Reports a fault in a field of `req` at the path used by the client. */
function unlifted<Issue extends { readonly path: readonly PropertyKey[] }>(issue: Issue): Issue {
  return issue.path[0] === 'req' ? { ...issue, path: issue.path.slice(1) } : issue;
}

function clampOf(
  request: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): { from: number; to: number } | undefined {
  for (const field of ['limit', 'pageSize']) {
    const from = request[field];
    const to = query[field];
    if (typeof from === 'number' && typeof to === 'number' && from !== to) return { from, to };
  }
  return undefined;
}

/** Returns the query of this venue that corresponds to a name on similar venues. */
function namedElsewhere(name: string): string | undefined {
  for (const [type, { otherNames }] of Object.entries<QueryDefinition>(INFO_QUERIES)) {
    if (otherNames !== undefined && Object.hasOwn(otherNames, name)) return type + otherNames[name];
  }
  return undefined;
}

const HTTP_FORBIDDEN = 403;

/**
 * Builds the refusal for an unknown query. It lists all existing names and the one that was
 * probably meant.
 */
function refuseUnknownQuery(type: string, types: readonly string[]): WireError {
  const near = namedElsewhere(type) ?? nearestName(type, types);
  const page = 'all queries are in /docs/info';
  const why = near === undefined ? page : `here it is ${near}; ${page}`;
  const details = { field: 'type', got: type, allowed: types, why };
  return refusal('notAllowed', [], details, HTTP_FORBIDDEN);
}
