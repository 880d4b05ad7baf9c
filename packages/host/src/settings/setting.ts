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

/** Settings by what they are about, in the order in which they are shown. */
export type SettingGroups = Readonly<Record<string, Readonly<Record<string, Setting>>>>;

/** All that a program can be told: the one place from which it is read, explained and checked. */
export type SettingsProgram<Groups extends SettingGroups = SettingGroups> = {
  /** What it is, in a line. */
  readonly title: string;
  /** How it is started: `oddlot start`, or a script of the repository such as `npm run chain`. */
  readonly command: string;
  readonly groups: Groups;
  /** What its variables begin with; without it the environment is not read. */
  readonly environment?: string;
  /** Settings that are no more, and what to say to who makes them. */
  readonly former?: Readonly<Record<string, string>>;
  /** What else help has to say. */
  readonly closing: string;
};

/** The settings of a program, as they are after they were read. */
export type SettingsOf<Groups extends SettingGroups> = z.output<
  z.ZodObject<{ [Key in keyof Joined<Groups>]: SchemaOf<Joined<Groups>[Key]> }>
>;

type SchemaOf<Declared> = Declared extends Setting<infer Schema> ? Schema : never;

/** All groups in one: the intersection of their types. */
type Joined<Groups extends SettingGroups> = (
  { [Name in keyof Groups]: (group: Groups[Name]) => void }[keyof Groups] extends infer Takes
    ? Takes
    : never
) extends (group: infer All) => void
  ? All
  : never;

/** Every setting with its name, group by group. */
export function settingsIn({ groups }: SettingsProgram): readonly (readonly [string, Setting])[] {
  return Object.values(groups).flatMap((group) => Object.entries(group));
}

/** All flags of a program, those that switch something off included. */
export function settingFlags(program: SettingsProgram): readonly string[] {
  return settingsIn(program)
    .filter(([, { isInFileAlone }]) => !isInFileAlone)
    .flatMap(([key, { isSwitch }]) => {
      const name = flagName(key);
      return isSwitch ? [`--${name}`, `--no-${name}`] : [`--${name}`];
    });
}

/** `--snapshot-every-blocks`, without the dashes before it. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `ODDLOT_SNAPSHOT_EVERY_BLOCKS`; undefined where the program reads no variables. */
export function variableName(program: SettingsProgram, key: string): string | undefined {
  if (program.environment === undefined) return undefined;
  return program.environment + flagName(key).replaceAll('-', '_').toUpperCase();
}
