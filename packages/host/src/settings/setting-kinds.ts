import { Address } from '@oddlot/protocol';
import { z } from 'zod';
import { clientIpFinder } from '../ports/client-ip.ts';

/** The units of integer settings, and notations that users may use by mistake. */
const UNITS = {
  count: { many: undefined, placeholder: 'N', others: {} },
  ms: {
    many: 'milliseconds',
    placeholder: 'MS',
    others: { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
  },
  bytes: {
    many: 'bytes',
    placeholder: 'BYTES',
    others: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
  },
  days: { many: 'days', placeholder: 'DAYS', others: { d: 1, w: 7 } },
  usdc: { many: 'USDC', placeholder: 'USDC', others: { usd: 1, usdc: 1 } },
  gwei: { many: 'gwei', placeholder: 'GWEI', others: { gwei: 1 } },
  bps: { many: 'basis points', placeholder: 'BPS', others: { bps: 1, '%': 100 } },
} satisfies Record<
  string,
  {
    readonly many: string | undefined;
    readonly placeholder: string;
    readonly others: Readonly<Record<string, number>>;
  }
>;

/**
 * Converts a quantity with a unit, such as `1h`, to the unit of the setting, such as 3600000
 * milliseconds. Returns undefined if its unit is not one of the known ones.
 */
function wholeIn(unit: keyof typeof UNITS, written: string): string | undefined {
  const others: Readonly<Record<string, number>> = UNITS[unit].others;
  const [, digits = '', other = ''] = /^([0-9][0-9_,]{0,15}) ?([a-zA-Z%]*)$/.exec(written) ?? [];
  const factor = other === '' ? 1 : others[other.toLowerCase()];
  if (digits === '' || factor === undefined) return undefined;
  return String(Number(digits.replaceAll(/[_,]/g, '')) * factor);
}

/**
 * A kind of setting: the validation of a value, its conversion from text, and the message for an
 * invalid value.
 */
export type Kind<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema;
  /** The valid form of a value, worded to follow "must be". */
  readonly expected: string;
  /** The placeholder of the value in help texts, such as `MS`. */
  readonly placeholder: string;
  /**
   * Converts the text of a flag or a variable to the value a file would contain. Returns undefined
   * if the text is invalid.
   */
  readonly fromText: (text: string) => unknown;
  /** Returns the correct notation for the value that an invalid text probably means. */
  readonly meant?: (text: string) => string | undefined;
  readonly entry?: Kind;
  /** True if the setting has the flags `--faucet` and `--no-faucet` instead of a value. */
  readonly isSwitch?: true;
  /** True if the setting cannot be set by a flag or a variable. */
  readonly isFileOnly?: true;
};

const PORT_MAX = 65_535;

/** Accepts any text, or only texts that match a pattern; `expected` describes the pattern. */
export function text({
  expected = 'text',
  pattern = /^/,
  placeholder = 'TEXT',
}: {
  readonly pattern?: RegExp;
  readonly expected?: string;
  readonly placeholder?: string;
} = {}): Kind<z.ZodString> {
  return {
    schema: z.string().regex(pattern),
    expected,
    placeholder,
    fromText: (written) => written,
  };
}

export function choice<const Words extends readonly string[]>(
  ...words: Words
): Kind<z.ZodEnum<{ [Word in Words[number]]: Word }>> {
  return {
    schema: z.enum(words),
    expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    placeholder: words.length <= 4 ? words.join('|') : 'WORD',
    fromText: (written) => written,
  };
}

/** Accepts a whole number in a unit, at least 1 by default. */
export function whole(
  unit: keyof typeof UNITS = 'count',
  { max, min = 1 }: { readonly min?: number; readonly max?: number } = {},
): Kind<z.ZodInt> {
  const { many, placeholder } = UNITS[unit];
  const bounds = max === undefined ? `, ${min} or more` : ` from ${min} to ${max}`;
  return {
    schema: z
      .int()
      .min(min)
      .max(max ?? Number.MAX_SAFE_INTEGER),
    expected: `a whole number${many === undefined ? '' : ` of ${many}`}${bounds}`,
    placeholder,
    fromText: (written) => (/^[0-9]+$/.test(written) ? Number(written) : undefined),
    meant: (written) => wholeIn(unit, written),
  };
}

/** Accepts a list. In text form, its entries are separated by commas. */
export function list<Schema extends z.ZodType>(
  entry: Kind<Schema>,
  { max = Infinity, min = 0 }: { readonly min?: number; readonly max?: number } = {},
): Kind<z.ZodArray<Schema>> {
  const least = min === 0 ? '' : ` with ${min} or more entries`;
  const most = max === Infinity ? '' : ` with at most ${max} entries`;
  return {
    schema: z.array(entry.schema).min(min).max(max),
    expected: `a list${least}${most}`,
    placeholder: `${entry.placeholder},${entry.placeholder}`,
    fromText: (written) =>
      written.split(',').map((part) => entry.fromText?.(part.trim()) ?? part.trim()),
    entry,
  };
}

export function tables<Schema extends z.ZodType>(schema: Schema): Kind<z.ZodArray<Schema>> {
  return {
    schema: z.array(schema),
    expected: 'a list of tables',
    placeholder: '',
    fromText: () => undefined,
    isFileOnly: true,
  };
}

export const SWITCH: Kind<z.ZodBoolean> = {
  schema: z.boolean(),
  expected: 'true or false',
  placeholder: 'true|false',
  fromText: (written) => (written === 'true' ? true : written === 'false' ? false : undefined),
  isSwitch: true,
};

/** Accepts a number of days, or `all` for no limit. */
export const DAYS_OR_ALL: Kind<z.ZodUnion<[z.ZodLiteral<'all'>, z.ZodInt]>> = {
  ...whole('days'),
  schema: z.union([z.literal('all'), whole('days').schema]),
  expected: `all, or ${whole('days').expected}`,
  placeholder: 'all|DAYS',
  fromText: (written) => (written === 'all' ? written : whole('days').fromText(written)),
};

export const PORT = { ...whole('count', { min: 0, max: PORT_MAX }), placeholder: 'PORT' };
/** The text is never empty, because an empty host means every interface. */
export const HOST = text({
  pattern: /./s,
  expected: 'an interface like 127.0.0.1, or 0.0.0.0 for all',
  placeholder: 'HOST',
});
export const FOLDER = text({
  pattern: /./s,
  expected: 'the path of a folder',
  placeholder: 'FOLDER',
});
export const HTTP_URL = text({
  pattern: /^https?:\/\/[^,\s]+$/,
  expected: 'a URL like https://one.example',
  placeholder: 'URL',
});
/** The location of a secret; the secret itself is never a setting. */
export const SECRET_PLACE = text({
  pattern: /./s,
  expected: 'the path of a file, or env:NAME',
  placeholder: 'FILE|env:NAME',
});
export const ADDRESS: Kind<typeof Address> = {
  ...text({ expected: 'an address like 0x0000…0001, with 40 hex digits', placeholder: 'ADDRESS' }),
  schema: Address,
};
export const LOG_LEVEL = choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent');
export const NETWORK: Kind<z.ZodString> = {
  ...text({ expected: 'an address or a network like 10.0.0.0/8', placeholder: 'NETWORK' }),
  schema: z.string().refine(isNetwork),
};

function isNetwork(written: string): boolean {
  try {
    clientIpFinder([written]);
    return true;
  } catch {
    return false;
  }
}
