import { z } from 'zod';
import type { Kind } from './setting-kinds.ts';

/** The declaration of one setting, without its name. */
export type Setting<Schema extends z.ZodType = z.ZodType> = Kind<Schema> &
  Options & {
    /** The default as shown in the settings reference. */
    readonly defaultText: string;
  };

/** Shown in place of a default. */
export const MUST_BE_SET = 'required';

type Options = {
  /** A sentence in Markdown, with links relative to docs/operate. */
  readonly help: string;
  /** True for the dozen most common settings. The others are listed by `--help all`. */
  readonly isEveryday?: true;
};

/** Declares a setting with a default. `unset` describes a default whose value is not obvious. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  options: Options & { readonly default: z.input<Schema>; readonly unset?: string },
): Setting<z.ZodPrefault<Schema>>;
/** Declares a required setting. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  options: Options & { readonly isRequired: true },
): Setting<Schema>;
/** Declares an optional setting. `unset` describes the behaviour if it is not set. */
export function setting<Schema extends z.ZodType>(
  kind: Kind<Schema>,
  options: Options & { readonly unset: string },
): Setting<z.ZodOptional<Schema>>;
export function setting(
  kind: Kind,
  {
    default: value,
    isRequired,
    unset,
    ...options
  }: Options & { readonly default?: unknown; readonly isRequired?: true; readonly unset?: string },
): Setting {
  const { schema } = kind;
  if (value === undefined) {
    const optional = isRequired === true ? schema : z.optional(schema);
    return { ...kind, ...options, schema: optional, defaultText: unset ?? MUST_BE_SET };
  }
  return {
    ...kind,
    ...options,
    schema: z.prefault(schema, value),
    defaultText: unset ?? defaultText(value),
  };
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? `\`${value}\`` : String(value);
}

/** Settings by subject, in display order. */
export type SettingGroups = Readonly<Record<string, Readonly<Record<string, Setting>>>>;

/** All settings of a program. Parsing, help and validation are all derived from them. */
export type SettingsProgram<Groups extends SettingGroups = SettingGroups> = {
  readonly title: string;
  /**
   * The command that starts the program: `oddlot start`, or a script of the repository such as `npm
   * run chain`.
   */
  readonly command: string;
  readonly groups: Groups;
  /** The prefix of the program's environment variables. If absent, the environment is not read. */
  readonly environment?: string;
  /** Settings that were removed, with the error message for each. */
  readonly former?: Readonly<Record<string, string>>;
  /** Additional text at the end of the help. */
  readonly closing: string;
};

export type SettingsOf<Groups extends SettingGroups> = z.output<
  z.ZodObject<{ [Key in keyof Joined<Groups>]: SchemaOf<Joined<Groups>[Key]> }>
>;

type SchemaOf<Declared> = Declared extends Setting<infer Schema> ? Schema : never;

/** The intersection of the types of all groups. */
type Joined<Groups extends SettingGroups> = (
  { [Name in keyof Groups]: (group: Groups[Name]) => void }[keyof Groups] extends infer Takes
    ? Takes
    : never
) extends (group: infer All) => void
  ? All
  : never;

export function settingsIn({ groups }: SettingsProgram): readonly (readonly [string, Setting])[] {
  return Object.values(groups).flatMap((group) => Object.entries(group));
}

/** Returns all flags of a program, including those that disable a switch. */
export function settingFlags(program: SettingsProgram): readonly string[] {
  return settingsIn(program)
    .filter(([, { isFileOnly }]) => !isFileOnly)
    .flatMap(([key, { isSwitch }]) => {
      const name = flagName(key);
      return isSwitch ? [`--${name}`, `--no-${name}`] : [`--${name}`];
    });
}

/** Returns the flag of a setting without its dashes, such as `snapshot-every-blocks`. */
export function flagName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Returns the variable of a setting, such as `ODDLOT_SNAPSHOT_EVERY_BLOCKS`, or undefined if the
 * program does not read the environment.
 */
export function variableName(program: SettingsProgram, key: string): string | undefined {
  if (program.environment === undefined) return undefined;
  return program.environment + flagName(key).replaceAll('-', '_').toUpperCase();
}
