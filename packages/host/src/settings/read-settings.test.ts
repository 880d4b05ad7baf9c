import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { readSettings, SettingError } from './read-settings.ts';
import {
  ADDRESS,
  choice,
  DAYS_OR_ALL,
  list,
  PORT,
  SWITCH,
  tables,
  text,
  whole,
} from './setting-kinds.ts';
import { setting, type SettingsProgram } from './setting.ts';
import { helpAsked, settingsHelp, settingsPage } from './settings-help.ts';

const help = 'what it does';
const PROGRAM = {
  title: 'A program.',
  command: 'npm run program',
  environment: 'PROGRAM_',
  groups: {
    Doors: {
      port: setting(PORT, { default: 80, help: 'see [ports](ports.md) and `0`', isEveryday: true }),
      owners: setting(list(ADDRESS, { max: 2 }), { default: [], help }),
      color: setting(choice('red', 'green', 'blue'), { unset: 'any', help }),
    },
    Pace: {
      everyMs: setting(whole('ms'), { default: 5, help }),
      spaceBytes: setting(whole('bytes', { min: 0 }), { unset: 'none', help }),
      keep: setting(DAYS_OR_ALL, { unset: 'all', help }),
      isLoud: setting(SWITCH, { default: true, help }),
      name: setting(text({ pattern: /^[a-z]+$/, expected: 'small letters' }), {
        default: 'x',
        help,
      }),
      parts: setting(tables(z.strictObject({ size: z.int() })), { default: [], help }),
    },
  },
  former: { pace: 'is now everyMs' },
  closing: 'That is all.',
} satisfies SettingsProgram;

const folder = mkdtempSync(join(tmpdir(), 'oddlot-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function inFile(toml: string): readonly string[] {
  const file = join(folder, 'program.toml');
  writeFileSync(file, toml);
  return ['--config', file];
}

function refusal(args: readonly string[], env: Record<string, string> = {}): string {
  try {
    readSettings(PROGRAM, args, env);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    return (error as Error).message;
  }
}

test('a flag overrides the environment, which overrides the file, which overrides the default', () => {
  const file = inFile('port = 1\neveryMs = 1\nname = "file"\n[[parts]]\nsize = 3\n');
  const env = { PROGRAM_PORT: '2', PROGRAM_EVERY_MS: '2', ANOTHER_NAME: 'other' };
  expect(readSettings(PROGRAM, [...file, '--port', '3', '--no-is-loud'], env)).toEqual({
    port: 3,
    owners: [],
    everyMs: 2,
    isLoud: false,
    name: 'file',
    parts: [{ size: 3 }],
  });
  const [, path = ''] = file;
  expect(readSettings(PROGRAM, [], { PROGRAM_CONFIG: path }).name).toBe('file');
});

test('the types of settings follow from their declarations', () => {
  const settings = readSettings(PROGRAM, []);
  expectTypeOf(settings.port).toEqualTypeOf<number>();
  expectTypeOf(settings.color).toEqualTypeOf<'red' | 'green' | 'blue' | undefined>();
  expectTypeOf(settings.keep).toEqualTypeOf<'all' | number | undefined>();
  expectTypeOf(settings.isLoud).toEqualTypeOf<boolean>();
  expectTypeOf(settings.parts).toEqualTypeOf<{ size: number }[]>();
});

test('a program without environment variables does not read the environment', () => {
  const { environment: _, ...silent } = PROGRAM;
  expect(readSettings(silent, [], { PROGRAM_PORT: '2', CONFIG: '/none' }).port).toBe(80);
});

test('a missing required setting is an error', () => {
  const strict = {
    ...PROGRAM,
    groups: { One: { key: setting(text(), { isRequired: true, help }) } },
  };
  expect(() => readSettings(strict, [])).toThrow('key: missing');
  expect(readSettings(strict, ['--key', 'k']).key).toBe('k');
});

describe('an invalid command-line flag is reported', () => {
  test.each<[string, readonly string[], string]>([
    [
      'with the name that was probably meant',
      ['--every-m', '1'],
      "Unknown option '--every-m'. Did you mean --every-ms?",
    ],
    [
      'with a switch that was probably meant',
      ['--no-is-lou'],
      "Unknown option '--no-is-lou'. Did you mean --no-is-loud?",
    ],
    ['alone if no name is similar', ['--something', '1'], "Unknown option '--something'"],
    ['although a file has it', ['--parts', '1'], "Unknown option '--parts'"],
    ['without its value', ['--port'], "Option '--port <value>' argument missing"],
    ['as one word too many', ['all'], "Unexpected argument 'all'. This command does not take"],
    ['as not a number', ['--port', 'x'], '--port must be a whole number from 0 to 65535: x'],
    ['as out of bounds', ['--port', '65536'], 'port: must be a whole number from 0 to 65535'],
    [
      'in another unit',
      ['--every-ms', '1h'],
      '--every-ms must be a whole number of milliseconds, 1 or more: 1h. Write 3600000',
    ],
    [
      'in another unit of size',
      ['--space-bytes', '2 GiB'],
      '--space-bytes must be a whole number of bytes, 0 or more: 2 GiB. Write 2147483648',
    ],
    ['with commas in a number', ['--every-ms', '1,000'], ': 1,000. Write 1000'],
    [
      'as an invalid retention',
      ['--keep', 'some'],
      '--keep must be all, or a whole number of days',
    ],
    ['as too few days', ['--keep', '0'], 'keep: must be all, or a whole number of days, 1 or more'],
    ['as an unknown word', ['--color', 'pink'], 'color: must be red, green or blue'],
    ['as an invalid text', ['--name', 'A'], 'name: must be small letters'],
    [
      'for an entry of a list',
      ['--owners', `0x${'1'.repeat(40)},me`],
      'owners.1: must be an address like',
    ],
    [
      'for its length',
      ['--owners', [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`).join(',')],
      'owners: must be a list with at most 2 entries',
    ],
    ['that was removed', ['--pace=3'], '--pace=3: is now everyMs'],
  ])('%s', (_, args, message) => {
    expect(refusal(args)).toContain(message);
  });
});

test.each<[Record<string, string>, string]>([
  [{ PROGRAM_IS_LOUD: 'yes' }, 'PROGRAM_IS_LOUD must be true or false: yes'],
  [{ PROGRAM_EVERY_MS: '' }, 'PROGRAM_EVERY_MS must be a whole number of milliseconds'],
  [{ PROGRAM_PACE: '1' }, 'pace: is now everyMs'],
])('the variable %j is rejected', (env, message) => {
  expect(refusal([], env)).toContain(message);
});

test.each<[string, string]>([
  ['every = 1', 'configuration: Unrecognized key: "every". Did you mean everyMs?'],
  ['port = "80"', 'port: must be a whole number from 0 to 65535'],
  ['everyMs = 1.5', 'everyMs: must be a whole number of milliseconds, 1 or more'],
  ['isLoud = "true"', 'isLoud: must be true or false'],
  ['owners = "0x"', 'owners: must be a list with at most 2 entries'],
  ['[[parts]]\nsize = "big"', 'parts.0.size: Invalid input: expected number, received string'],
  ['pace = 1', 'pace: is now everyMs'],
  ['port = ', 'program.toml: '],
])('the file %j is rejected', (toml, message) => {
  expect(refusal(inFile(toml))).toContain(message);
});

test('the help lists the common settings or all of them', () => {
  expect(['--help', '--help=all'].map((arg) => helpAsked(['--port', '1', arg]))).toEqual([
    'everyday',
    'all',
  ]);
  expect([helpAsked(['--help', 'all']), helpAsked(['--port', 'all'])]).toEqual(['all', undefined]);
  expect(settingsHelp(PROGRAM, 'everyday')).toBe(`A program.

  npm run program -- [flags]

  --port PORT
      see ports and 0 (default 80)
  --config FILE
      Read settings from a TOML file
      environment PROGRAM_CONFIG
  --help, --help all
      Print the common settings, or all of them, and exit

8 more settings are listed by --help all. Set limits and budgets in the file.

That is all.
`);
  const started = (script?: string): string | undefined => {
    const program = { ...PROGRAM, command: 'oddlot start' };
    return settingsHelp(program, 'everyday', { npm_lifecycle_event: script }).split('\n')[2];
  };
  expect(started()).toBe('  oddlot start [flags]');
  expect(started('start')).toBe('  npm start -- [flags]');
  expect(started('oddlot')).toBe('  npm run oddlot -- start [flags]');
  const all = settingsHelp(PROGRAM, 'all');
  expect(all).toContain(`Pace
  --every-ms MS
      what it does
      environment PROGRAM_EVERY_MS, file everyMs; default 5
`);
  expect(all).toContain('  --is-loud, --no-is-loud\n');
  expect(all).toContain('  [[parts]]\n      what it does\n      file parts only; default none');
});

test('the settings reference contains a table for each group', () => {
  expect(settingsPage(PROGRAM)).toContain(`### Doors

| Flag | Environment | TOML | Default | Meaning |
|---|---|---|---|---|
| \`--port\` | \`PROGRAM_PORT\` | \`port\` | 80 | see [ports](ports.md) and \`0\` |
| \`--owners\` | \`PROGRAM_OWNERS\` | \`owners\` (list) | none | what it does |`);
  expect(settingsPage(PROGRAM)).toContain('|  |  | `parts` (tables) | none | what it does |');
});
