import * as z from 'zod';
import { refusal, type WireError } from '../errors.ts';
import { AccountTypes, Address, IdStr, anyCase } from '../primitives.ts';
import { toWireError } from '../to-wire-error.ts';
import { Interval } from './market-queries.ts';

/** The exports: GET with parameters in the address, so that everything arrives as text. */

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

/** What can be exported, with the parameters of each. */
export const EXPORTS = {
  fills: ofUser('perp'),
  orders: ofUser('perp'),
  fundings: ofUser('perp'),
  ledger: ofUser('perp', 'outcome'),
  candles: z.object({ coin: IdStr, interval: Interval, ...SPAN }),
} as const;

/** The name of an export: the last part of its path. */
export type ExportName = keyof typeof EXPORTS;

/** The parameters of an export, read. */
export type ExportRequestOf<Name extends ExportName> = z.output<(typeof EXPORTS)[Name]>;

/** What reading the parameters gives. */
export type ParsedExport<Name extends ExportName> =
  | { readonly ok: true; readonly request: ExportRequestOf<Name> }
  | { readonly ok: false; readonly error: WireError };

/**
 * Reads the parameters of an export. An account type may be given several times, or several of them
 * with commas in between; everything else once.
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
