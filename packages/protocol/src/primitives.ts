import * as z from 'zod';
import {
  type Address as AddressText,
  DECIMAL_LENGTH_MAX,
  formatDecimal,
  isDecimalText,
  parseExact,
} from '@oddlot/units';
import type { Details } from './errors.ts';
import { type MessageKey, MESSAGES } from './refusal.ts';
import { LIMITS } from './limits.ts';

/**
 * Accepted values are normalised: addresses to lower case, and enums to their exact case. Signed
 * data must therefore always be taken from the request text.
 */

const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;
const UINT32_MAX = 0xffff_ffff;
const INT32_MAX = 0x7fff_ffff;

/** An EVM address in any case; the result is in lower case. */
export const Address = z
  .string()
  .regex(ADDRESS_PATTERN)
  .transform((text) => text.toLowerCase() as AddressText);

/** A 32-byte hash in any case; the result is in lower case. */
export const Hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());

/** A decimal as a string. It remains a string, because the scale depends on the instrument. */
export const Dec = z.string().refine(isDecimalText);

/** A point in time or a duration in milliseconds. */
export const Ms = z.int().min(0);
export const U32 = z.int().min(0).max(UINT32_MAX);
export const I32 = z
  .int()
  .min(-INT32_MAX - 1)
  .max(INT32_MAX);
/** An unsigned integer within the safe range of JSON numbers. */
export const U64 = z.int().min(0);
/** A signed integer within the safe range of JSON numbers. */
export const I64 = z.int();

/** An order id: the only integer that may also be sent as a numeric string. */
export const OrderIdOrText = z
  .union([U64, z.string().regex(/^(0|[1-9][0-9]{0,15})$/)])
  .transform((value, context) => {
    const id = Number(value);
    if (Number.isSafeInteger(id)) return id;
    context.issues.push({ code: 'custom', input: value });
    return z.NEVER;
  });

/** An instrument id as a decimal string. Leading zeros are removed. */
export const IdStr = z
  .string()
  .regex(/^[0-9]{1,10}$/)
  .transform((text) => String(Number(text)));

/**
 * A client order id. Only the type is checked here, because the form is a business rule; see
 * `isCloid`.
 */
export const Cloid = z.string();

const CLOID_UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const CLOID_HEX = /^0x[0-9a-fA-F]{32}$/;

/** Returns true for 16 bytes, written as a UUID or as `0x` with 32 hex digits. */
export function isCloid(text: string): boolean {
  return CLOID_UUID.test(text) || CLOID_HEX.test(text);
}

/**
 * Returns the 16 bytes as 32 lower-case hex digits, the form in which client order ids are
 * compared, or undefined for an invalid id.
 */
export function cloidKey(text: string): string | undefined {
  if (CLOID_HEX.test(text)) return text.slice(2).toLowerCase();
  if (CLOID_UUID.test(text)) return text.replaceAll('-', '').toLowerCase();
  return undefined;
}

type EnumParts = {
  readonly values: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
};

/**
 * The parts of each enum are recorded here, because the schema of a transform does not show them.
 */
const ENUMS = new WeakMap<z.core.$ZodType, EnumParts>();

/**
 * Defines a case-insensitive enum; `aliases` maps additional lower-case spellings. An exact
 * spelling takes precedence, so `1m` and `1M` are different. The types for clients include only the
 * exact spelling.
 */
export function anyCase<const Values extends readonly string[]>(
  values: Values,
  aliases: Readonly<Record<string, Values[number]>> = {},
): z.ZodType<Values[number], Values[number]> {
  const byLower = new Map<string, Values[number]>(Object.entries(aliases));
  for (const value of values) byLower.set(value.toLowerCase(), value);
  const exact = new Map<string, Values[number]>(values.map((value) => [value, value]));
  const schema = z.string().transform((text, context): Values[number] => {
    const value = exact.get(text) ?? byLower.get(text.toLowerCase());
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: text, params: { allowed: values } });
    return z.NEVER;
  });
  ENUMS.set(schema, { values, aliases });
  return schema as z.ZodType as z.ZodType<Values[number], Values[number]>;
}

/** Returns the values and aliases of an enum, or undefined for any other schema. */
export function enumOf(schema: z.core.$ZodType): EnumParts | undefined {
  return ENUMS.get(schema);
}

type SubAccount = 'perp' | 'outcome';

/** A sub-account; `perps` is accepted as an alias of `perp`. */
export const AccountType = anyCase(['perp', 'outcome'], { perps: 'perp' });

/** The exchange ids by sub-account. */
const EXCHANGE_IDS = { perp: 0, outcome: 1 } as const;

/** Defines an optional exchange id for a request that supports only the given exchanges. */
function exchangeIdOf<const Ids extends readonly (0 | 1)[]>(...ids: Ids) {
  return z.literal(ids).nullable().optional();
}

/** Defines both spellings of the exchange id as fields of a request, so that both are checked. */
export function exchangeIdsOf<const Ids extends readonly (0 | 1)[]>(...ids: Ids) {
  return { exchangeId: exchangeIdOf(...ids), exchange_id: exchangeIdOf(...ids) };
}

const SPELLINGS = ['exchangeId', 'exchange_id'] as const;

type OfExchange = {
  readonly accountType: keyof typeof EXCHANGE_IDS;
} & { readonly [Spelling in (typeof SPELLINGS)[number]]?: number | null | undefined };

/** Rejects an exchange that does not belong to the requested sub-account. */
export function refuseOtherExchange(request: OfExchange, context: z.RefinementCtx): void {
  const own = EXCHANGE_IDS[request.accountType];
  for (const spelling of SPELLINGS) {
    const got = request[spelling];
    if (got === undefined || got === null || got === own) continue;
    context.addIssue({ code: 'custom', path: [spelling], params: { allowed: [own] } });
  }
}

/** One or more sub-accounts; the result is always a list without repetitions. */
export const AccountTypes = z
  .union([
    AccountType.transform((type) => [type]),
    z.array(AccountType).min(1).max(8) as z.ZodType<SubAccount[], readonly SubAccount[]>,
  ])
  .transform((types) => [...new Set(types)]);

/**
 * Defines a list whose length is checked before its entries, so that an oversized list is cheap to
 * reject.
 */
export function listOf<Item extends z.ZodType>(
  item: Item,
  { name, min, max }: { name: string; min: number; max: number },
): z.ZodType<z.output<Item>[], readonly z.input<Item>[]> {
  const error = MESSAGES.entryCount(name, min, max);
  const list = z.array(z.unknown()).min(min, { error }).max(max, { error }).pipe(z.array(item));
  return list as z.ZodType as z.ZodType<z.output<Item>[], readonly z.input<Item>[]>;
}

/** A list of instrument ids in queries and subscriptions. */
export const InstrumentIds = listOf(U32, {
  name: 'instrumentIds',
  min: 1,
  max: LIMITS.instrumentIdsMax,
});

/** The `params` of a custom issue, which `toWireError` reads. */
export type IssueParams = {
  readonly allowed?: Details['allowed'];
  /** The key of the refusal's message, if the fault is not a wrong type. */
  readonly refusal?: MessageKey;
};

const HEX_DIGITS = 64;

const Component = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => `0x${text.slice(2).toLowerCase().padStart(HEX_DIGITS, '0')}` as const);

/**
 * The signature of a request: `r` and `s` are padded to 32 bytes, and `v` of 0 or 1 becomes 27 or
 * 28. A value that is not hex makes the request malformed; a well-formed signature from which no
 * signer can be recovered is refused.
 */
export const SignatureSchema = z.object({
  r: Component,
  s: Component,
  v: z.int().transform((value, context): 27 | 28 => {
    if (value === 0 || value === 27) return 27;
    if (value === 1 || value === 28) return 28;
    context.issues.push({ code: 'custom', input: value, params: { allowed: [0, 1, 27, 28] } });
    return z.NEVER;
  }),
});

/** The signature of a permit. A contract reads it unchanged, so `v` must be 27 or 28. */
export const PermitSignatureSchema = z.object({
  r: Component,
  s: Component,
  v: z.int().transform((value, context): 27 | 28 => {
    if (value === 27 || value === 28) return value;
    context.issues.push({ code: 'custom', input: value, params: { allowed: [27, 28] } });
    return z.NEVER;
  }),
});

/** A normalised signature: `r` and `s` have 32 bytes in lower-case hex, and `v` is 27 or 28. */
export type SignatureHex = z.output<typeof SignatureSchema>;

/**
 * Returns a decimal or percentage without superfluous zeros. Any other string is returned
 * unchanged.
 */
export function canonicalDecimal(text: string): string {
  const unit = text.endsWith('%') ? '%' : '';
  const digits = unit === '' ? text : text.slice(0, -1);
  const value = parseExact(digits, DECIMAL_LENGTH_MAX);
  return value === undefined ? text : formatDecimal(value, DECIMAL_LENGTH_MAX) + unit;
}
