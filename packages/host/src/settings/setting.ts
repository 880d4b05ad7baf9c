import { z } from 'zod';
import type { Kind } from './setting-kinds.ts';

/** One setting, declared: all that is known of it, but its name. */
export type Setting<Schema extends z.ZodType = z.ZodType> = Kind<Schema> &
  Told & {
    /** What it is when nobody sets it, as the page of settings shows it. */
    readonly defaultText: string;
  };

/** What stands where a default would. */
export const MUST_BE_SET = 'required';

type Told = {
  /** One sentence in Markdown, links relative to docs/operate. */
  readonly help: string;
  /** One of the dozen that people use; the others are in `--help all`. */
  readonly isEveryday?: true;
};

/** A setting that has a default; `unset` says in words what is hard to see from the value. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  told: Told & { readonly default: z.input<Schema>; readonly unset?: string },
): Setting<z.ZodPrefault<Schema>>;
/** One that must be told. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  told: Told & { readonly isRequired: true },
): Setting<Schema>;
/** One that may be left out; `unset` says what holds then. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  told: Told & { readonly unset: string },
): Setting<z.ZodOptional<Schema>>;
export function setting(
  kind: Kind,
  {
    default: value,
    isRequired,
    unset,
    ...told
  }: Told & { readonly default?: unknown; readonly isRequired?: true; readonly unset?: string },
): Setting {
  const { schema } = kind;
  if (value === undefined) {
    const optional = isRequired === true ? schema : z.optional(schema);
    return { ...kind, ...told, schema: optional, defaultText: unset ?? MUST_BE_SET };
  }
  return {
    ...kind,
    ...told,
    schema: z.prefault(schema, value),
    defaultText: unset ?? defaultText(value),
  };
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? `\`${value}\`` : String(value);
}
