import * as z from 'zod';
import type { WireError } from '../errors.ts';
import { refusal } from '../refusal.ts';
import { AccountTypes, Address, IdStr, anyCase } from '../primitives.ts';
import { toWireError } from '../to-wire-error.ts';
import type { FundingRow, LedgerUpdate } from './account-answers.ts';
import type { Candle } from './market-answers.ts';
import { Interval } from './market-queries.ts';
import type { Fill, HistOrderRow } from './order-answers.ts';

/** Exports are GET requests with parameters in the URL, so all values are strings. */

const MsText = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,15})$/)
  .transform((text, context) => {
    const ms = Number(text);
    if (Number.isSafeInteger(ms)) return ms;
    context.issues.push({ code: 'custom', input: text });
    return z.NEVER;
  });

const SPAN = {
  from: MsText.optional(),
  to: MsText.optional(),
  format: anyCase(['csv', 'ndjson']).default('csv'),
};

const ofUser = (...accountTypes: readonly ('perp' | 'outcome')[]) =>
  z.object({ user: Address, ...SPAN, accountType: AccountTypes.default([...accountTypes]) });

export const EXPORTS = {
  fills: ofUser('perp'),
  orders: ofUser('perp'),
  fundings: ofUser('perp'),
  ledger: ofUser('perp', 'outcome'),
  candles: z.object({ coin: IdStr, interval: Interval, ...SPAN }),
} as const;

/** The last part of an export's path. */
export type ExportName = keyof typeof EXPORTS;

export type ExportRequestOf<Name extends ExportName> = z.output<(typeof EXPORTS)[Name]>;

type ParsedExport<Name extends ExportName> =
  | { readonly ok: true; readonly request: ExportRequestOf<Name> }
  | { readonly ok: false; readonly error: WireError };

/**
 * Reads the parameters of an export. The account type may be repeated or list several types
 * separated by commas; every other parameter may occur only once.
 */
export function parseExport<Name extends ExportName>(
  name: Name,
  parameters: Iterable<readonly [string, string]>,
): ParsedExport<Name> {
  const fields = new Map<string, string | string[]>();
  for (const [key, value] of parameters) {
    if (key === 'accountType') {
      const known = fields.get(key) ?? [];
      fields.set(key, [...known, ...value.split(',')]);
    } else if (fields.has(key)) {
      return { ok: false, error: refusal('duplicateKey', [key], { field: key }) };
    } else {
      fields.set(key, value);
    }
  }
  const input = Object.fromEntries(fields);
  const parsed = EXPORTS[name].safeParse(input);
  if (!parsed.success) return { ok: false, error: toWireError(parsed.error.issues, input) };
  return { ok: true, request: parsed.data as ExportRequestOf<Name> };
}

/** Lists a row's fields in API order. Omitting a field is a compile-time error. */
const columns = <Row extends object>(fields: Readonly<Record<keyof Row & string, true>>) =>
  Object.keys(fields);

export const EXPORT_COLUMNS: Readonly<Record<ExportName, readonly string[]>> = {
  fills: columns<Required<Fill>>({
    coin: true,
    symbol: true,
    px: true,
    sz: true,
    side: true,
    time: true,
    startPosition: true,
    dir: true,
    reduceOnly: true,
    closedPnl: true,
    hash: true,
    oid: true,
    crossed: true,
    fee: true,
    tid: true,
    feeToken: true,
    twapId: true,
    tradeSide: true,
    marginMode: true,
    leverage: true,
    instrumentId: true,
    instrumentType: true,
    marketType: true,
    entryPrice: true,
    roe: true,
    cloid: true,
    builderFee: true,
    outcome: true,
    title: true,
    slug: true,
  }),
  orders: columns<HistOrderRow>({ order: true, status: true, statusTimestamp: true }),
  fundings: columns<FundingRow>({
    time: true,
    coin: true,
    usdc: true,
    szi: true,
    fundingRate: true,
    amount: true,
  }),
  ledger: columns<LedgerUpdate>({ time: true, hash: true, delta: true }),
  candles: columns<Omit<Candle, 'price'>>({
    t: true,
    T: true,
    s: true,
    i: true,
    o: true,
    c: true,
    h: true,
    l: true,
    v: true,
    n: true,
    instrumentId: true,
  }),
};
