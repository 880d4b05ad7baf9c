import {
  flagName,
  MUST_BE_SET,
  type Setting,
  settingsIn,
  type SettingsProgram,
  variableName,
} from './setting.ts';

const WIDTH = 110;
const INDENT = 6;

/**
 * Returns whether help is requested for the common settings or for all, or undefined if help is not
 * requested.
 */
export function helpAsked(args: readonly string[]): 'everyday' | 'all' | undefined {
  const at = args.findIndex((arg) => arg === '--help' || arg.startsWith('--help='));
  if (at < 0) return undefined;
  return args[at] === '--help=all' || args[at + 1] === 'all' ? 'all' : 'everyday';
}

/**
 * Returns the output of `--help` and `--help all`. If the environment shows that an npm script
 * started the program, the usage line names that script.
 */
export function settingsHelp(
  program: SettingsProgram,
  which: 'everyday' | 'all',
  environment: Readonly<Record<string, string | undefined>> = {},
): string {
  const { closing, groups, title } = program;
  const config = variableName(program, 'config');
  const others = `  --config FILE
      Read settings from a TOML file${config === undefined ? '' : `\n      environment ${config}`}
  --help, --help all
      Print the common settings, or all of them, and exit`;
  const all = settingsIn(program);
  const everyday = all.filter(([, { isEveryday }]) => isEveryday);
  const shown =
    which === 'everyday'
      ? `${everyday.map((each) => shortUsage(each)).join('\n')}\n${others}

${all.length - everyday.length} more settings are listed by --help all. Set limits and budgets in the file.`
      : `${Object.entries(groups)
          .map(([group, settings]) =>
            [group, ...Object.entries(settings).map((each) => fullUsage(program, each))].join('\n'),
          )
          .join('\n\n')}\n\nOthers\n${others}`;
  const command = typedCommand(program, environment['npm_lifecycle_event']);
  return `${title}\n\n  ${command} [flags]\n\n${shown}\n\n${closing}\n`;
}

/**
 * Returns the command as the user typed it. An npm script passes on only the arguments after `--`.
 */
function typedCommand({ command }: SettingsProgram, script: string | undefined): string {
  if (!command.startsWith('oddlot ')) return `${command} --`;
  if (script === 'oddlot') return `npm run oddlot -- ${command.slice('oddlot '.length)}`;
  return command === `oddlot ${script}` ? `npm ${script} --` : command;
}

function shortUsage([key, declared]: readonly [string, Setting]): string {
  return `  ${flagsOf(key, declared)}\n${wrapped(`${declared.help} (${defaultOf(declared)})`)}`;
}

function fullUsage(program: SettingsProgram, [key, declared]: readonly [string, Setting]): string {
  const variable = variableName(program, key);
  const where = declared.isFileOnly
    ? `file ${key} only`
    : `${variable === undefined ? '' : `environment ${variable}, `}file ${key}`;
  const head = declared.isFileOnly ? `[[${key}]]` : flagsOf(key, declared);
  return `  ${head}\n${wrapped(declared.help)}\n${wrapped(`${where}; ${defaultOf(declared)}`)}`;
}

function flagsOf(key: string, { isSwitch, placeholder }: Setting): string {
  const flag = `--${flagName(key)}`;
  return isSwitch ? `${flag}, --no-${flagName(key)}` : `${flag} ${placeholder}`;
}

function defaultOf({ defaultText }: Setting): string {
  return defaultText.startsWith(MUST_BE_SET) ? defaultText : `default ${defaultText}`;
}

/**
 * Formats Markdown for a terminal: links become their text, emphasis is removed, and lines are
 * wrapped.
 */
function wrapped(markdown: string): string {
  const words = markdown
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .split(' ');
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (INDENT + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => ' '.repeat(INDENT) + line).join('\n');
}

/** Returns the settings of a program as Markdown tables for the program's guide. */
export function settingsPage(program: SettingsProgram): string {
  const environment = program.environment === undefined ? [] : ['Environment'];
  const head = ['Flag', ...environment, 'TOML', 'Default', 'Meaning'];
  return Object.entries(program.groups)
    .map(([group, settings]) =>
      [
        `### ${group}\n`,
        row(head),
        `|${'---|'.repeat(head.length)}`,
        ...Object.entries(settings).map(([key, declared]) => row(cells(program, key, declared))),
      ].join('\n'),
    )
    .join('\n\n');
}

function cells(program: SettingsProgram, key: string, declared: Setting): readonly string[] {
  const { defaultText, entry, help, isFileOnly, isSwitch } = declared;
  const flag = `\`--${flagName(key)}\``;
  const variable = variableName(program, key);
  const file = `\`${key}\`${isFileOnly ? ' (tables)' : entry === undefined ? '' : ' (list)'}`;
  const flags = isSwitch ? `${flag}, \`--no-${flagName(key)}\`` : flag;
  return [
    isFileOnly ? '' : flags,
    ...(variable === undefined ? [] : [isFileOnly ? '' : `\`${variable}\``]),
    file,
    defaultText,
    help,
  ];
}

function row(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}
