import { Address } from '@oddlot/protocol';
import { z } from 'zod';
import { clientIpFinder } from '../ports/client-ip.ts';
import { UNITS, wholeIn } from './setting-units.ts';

/** What settings can be: how a value is checked, how text becomes one, and what to say of a wrong one. */
export type Kind<Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema;
  /** What is right, as it follows "must be". */
  readonly expected: string;
  /** What help shows in the place of a value: `MS`. */
  readonly placeholder: string;
  /** Of a flag or a variable: the value as a file would hold it, undefined where the text is none. */
  readonly fromText: (text: string) => unknown;
  /** How to write what a wrong text most likely means. */
  readonly meant?: (text: string) => string | undefined;
  /** Of the entries of a list. */
  readonly entry?: Kind;
  /** `--faucet` and `--no-faucet` instead of a value. */
  readonly isSwitch?: true;
  /** Neither a flag nor a variable can say it. */
  readonly isInFileAlone?: true;
};

const PORT_MAX = 65_535;

/** Any text, or what a pattern takes; then `expected` says it in words. */
export function text({
  expected = 'text',
  pattern = /^/,
  placeholder = 'TEXT',
}: {
  readonly pattern?: RegExp;
  readonly expected?: string;
  readonly placeholder?: string;
} = {}): Kind<z.ZodString> {
  return { schema: z.string().regex(pattern), expected, placeholder, fromText: (told) => told };
}

/** One of these words. */
export function choice<const Words extends readonly string[]>(
  ...words: Words
): Kind<z.ZodEnum<{ [Word in Words[number]]: Word }>> {
  return {
    schema: z.enum(words),
    expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    placeholder: words.length <= 4 ? words.join('|') : 'WORD',
    fromText: (told) => told,
  };
}

/** A whole number of something, 1 or more unless told otherwise. */
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
    fromText: (told) => (/^[0-9]+$/.test(told) ? Number(told) : undefined),
    meant: (told) => wholeIn(unit, told),
  };
}

/** A list: text separates its entries by commas. */
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
    fromText: (told) => told.split(',').map((part) => entry.fromText?.(part.trim()) ?? part.trim()),
    entry,
  };
}

/** Tables of a file. */
export function tables<Schema extends z.ZodType>(schema: Schema): Kind<z.ZodArray<Schema>> {
  return {
    schema: z.array(schema),
    expected: 'a list of tables',
    placeholder: '',
    fromText: () => undefined,
    isInFileAlone: true,
  };
}

/** On or off. */
export const SWITCH: Kind<z.ZodBoolean> = {
  schema: z.boolean(),
  expected: 'true or false',
  placeholder: 'true|false',
  fromText: (told) => (told === 'true' ? true : told === 'false' ? false : undefined),
  isSwitch: true,
};

/** For ever, or so many days. */
export const KEPT: Kind<z.ZodUnion<[z.ZodLiteral<'all'>, z.ZodInt]>> = {
  ...whole('days'),
  schema: z.union([z.literal('all'), whole('days').schema]),
  expected: `all, or ${whole('days').expected}`,
  placeholder: 'all|DAYS',
  fromText: (told) => (told === 'all' ? told : whole('days').fromText(told)),
};

export const PORT = { ...whole('count', { min: 0, max: PORT_MAX }), placeholder: 'PORT' };
/** Never empty, which would be every interface. */
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
/** Where a secret is; the secret itself never is a setting. */
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
/** An address, or a network of them. */
export const NETWORK: Kind<z.ZodString> = {
  ...text({ expected: 'an address or a network like 10.0.0.0/8', placeholder: 'NETWORK' }),
  schema: z.string().refine(isNetwork),
};

function isNetwork(told: string): boolean {
  try {
    clientIpFinder([told]);
    return true;
  } catch {
    return false;
  }
}
