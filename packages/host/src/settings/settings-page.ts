import type { Setting } from './setting.ts';
import { flagName, type SettingsProgram, variableName } from './settings-program.ts';

/** The settings of a program as tables of Markdown, for its guide. */
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
  const { defaultText, entry, help, isInFileAlone, isSwitch } = declared;
  const flag = `\`--${flagName(key)}\``;
  const variable = variableName(program, key);
  const file = `\`${key}\`${isInFileAlone ? ' (tables)' : entry === undefined ? '' : ' (list)'}`;
  const told = isSwitch ? `${flag}, \`--no-${flagName(key)}\`` : flag;
  return [
    isInFileAlone ? '' : told,
    ...(variable === undefined ? [] : [isInFileAlone ? '' : `\`${variable}\``]),
    file,
    defaultText,
    help,
  ];
}

function row(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}
