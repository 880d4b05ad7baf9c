import type { z } from 'zod';
import type { Setting } from './setting.ts';

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
