import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearestName } from '@oddlot/protocol';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import {
  flagName,
  type Setting,
  type SettingGroups,
  settingsIn,
  type SettingsOf,
  type SettingsProgram,
  variableName,
} from './setting.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of a program. Flags override environment variables, which override a TOML
 * file, which overrides the defaults. Unknown names are errors, because a misspelt setting must not
 * silently fall back to its default.
 */
export function readSettings<Groups extends SettingGroups>(
  program: SettingsProgram<Groups>,
  args: readonly string[],
  env: Environment = {},
): SettingsOf<Groups> {
  assertNoFormer(program, { args, env });
  const flags = flagsOf(program, args);
  const file = flags['config'] ?? valueOf(env, variableName(program, 'config'));
  const given: Record<string, unknown> = file === undefined ? {} : readFile(String(file));
  assertNoFormer(program, { given });
  const settings = settingsIn(program);
  for (const [key, declared] of settings) {
    if (declared.isFileOnly) continue;
    const variable = variableName(program, key);
    const fromEnv = valueOf(env, variable);
    if (fromEnv !== undefined) given[key] = fromText(declared, fromEnv, variable);
    const flag = flags[flagName(key)];
    if (typeof flag === 'boolean') given[key] = flag;
    else if (flag !== undefined) given[key] = fromText(declared, flag, `--${flagName(key)}`);
  }
  const shape = Object.fromEntries(settings.map(([key, { schema }]) => [key, schema]));
  const parsed = z.strictObject(shape).safeParse(given);
  // The schema and the type come from the same declarations, but the compiler cannot see that.
  if (parsed.success) return parsed.data as SettingsOf<Groups>;
  throw new SettingError(faultOf(parsed.error.issues[0], new Map(settings), given));
}

/** Rejects a setting from a former release, with a message about its replacement. */
function assertNoFormer(
  program: SettingsProgram,
  {
    args = [],
    env = {},
    given = {},
  }: {
    readonly args?: readonly string[];
    readonly env?: Environment;
    readonly given?: Readonly<Record<string, unknown>>;
  },
): void {
  for (const [key, now] of Object.entries(program.former ?? {})) {
    const flags = [`--${flagName(key)}`, `--no-${flagName(key)}`];
    const flag = args.find((arg) => flags.includes(arg.split('=')[0] ?? ''));
    const isSet =
      flag !== undefined || valueOf(env, variableName(program, key)) !== undefined || key in given;
    if (isSet) throw new SettingError(`${flag ?? key}: ${now}`);
  }
}

function valueOf(env: Environment, variable: string | undefined): string | undefined {
  return variable === undefined ? undefined : env[variable];
}

function flagsOf(
  program: SettingsProgram,
  args: readonly string[],
): Readonly<Record<string, string | boolean | undefined>> {
  const options: ParseArgsOptionsConfig = { config: { type: 'string' } };
  for (const [key, { isFileOnly, isSwitch }] of settingsIn(program)) {
    if (!isFileOnly) options[flagName(key)] = { type: isSwitch ? 'boolean' : 'string' };
  }
  // No flag can be repeated, so no value is a list.
  return readFlags(args, options).values as Record<string, string | boolean | undefined>;
}

function readFile(path: string): Record<string, unknown> {
  try {
    return { ...parseToml(readFileSync(path, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingError(`${path}: ${why}`, { cause: error });
  }
}

function fromText(declared: Setting, text: string, source = ''): unknown {
  const value = declared.fromText(text);
  if (value !== undefined) return value;
  const meant = declared.meant?.(text);
  const hint = meant === undefined ? '' : `. Write ${meant}`;
  throw new SettingError(`${source} must be ${declared.expected}: ${text}${hint}`);
}

/**
 * Returns the first error. It gives the expected form of an invalid value, or the name most similar
 * to an unknown one.
 */
function faultOf(
  issue: z.core.$ZodIssue | undefined,
  settings: ReadonlyMap<string, Setting>,
  given: Readonly<Record<string, unknown>>,
): string {
  if (issue === undefined) return 'configuration: invalid';
  const { message, path } = issue;
  const key = String(path[0] ?? 'configuration');
  if (issue.code === 'unrecognized_keys' && path.length === 0) {
    const near = nearestName(issue.keys[0] ?? '', [...settings.keys()]);
    return `${key}: ${message}${near === undefined ? '' : `. Did you mean ${near}?`}`;
  }
  if (path.length === 1 && given[key] === undefined) return `${key}: missing`;
  const declared = settings.get(key);
  const { expected } = (path.length === 1 ? declared : path.length === 2 && declared?.entry) || {};
  return `${path.join('.')}: ${expected === undefined ? message : `must be ${expected}`}`;
}

const ALWAYS = ['help'];

/**
 * Returns the flags of a command line. An unknown flag is rejected, suggesting the most similar
 * one.
 */
export function readFlags<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  { allowPositionals = false }: { readonly allowPositionals?: boolean } = {},
) {
  try {
    return parseArgs({
      args: [...args],
      options,
      allowPositionals,
      allowNegative: true,
      strict: true,
    });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    const unknown = /^Unknown option '--?([^']*)'/.exec(message);
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === null) {
      throw new SettingError(message, { cause: error });
    }
    const [text, name = ''] = unknown;
    throw new SettingError(text + nearest(name, options), { cause: error });
  }
}

function nearest(name: string, options: ParseArgsOptionsConfig): string {
  const names = Object.entries(options).flatMap(([flag, { type }]) =>
    type === 'boolean' ? [flag, `no-${flag}`] : [flag],
  );
  const near = nearestName(name, [...names, ...ALWAYS]);
  return near === undefined ? '' : `. Did you mean --${near}?`;
}

/** Thrown for an invalid setting; the message is for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
