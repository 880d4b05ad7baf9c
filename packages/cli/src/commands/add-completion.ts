import type { Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** What a shell completes: commands, and their options. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('completion for bash, zsh or fish')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nPut it into the start of your shell:\n  source <(oddlot completion bash)\n  oddlot completion fish | source',
    )
    .action((shell: string) => {
      process.stdout.write(scriptOf(program, shell));
    });
}

function scriptOf(program: Command, shell: string): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    words: [
      ...command.commands.map((each) => each.name()),
      ...[...command.options, ...program.options].flatMap(({ long }: Option) => long ?? []),
    ],
    summary: command.summary().replaceAll("'", ''),
  }));
  const names = commands.map(({ name }) => name).join(' ');
  if (shell === 'fish') {
    const lines = commands.flatMap(({ name, summary, words }) => [
      `complete -c oddlot -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
      `complete -c oddlot -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(' ')}'`,
    ]);
    return `${lines.join('\n')}\n`;
  }
  const cases = commands.map(({ name, words }) => `    ${name}) words='${words.join(' ')}' ;;`);
  const body = [
    '_oddlot() {',
    "  local words=''",
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && words='${names}'`,
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _oddlot oddlot',
    '',
  ].join('\n');
  if (shell === 'bash') return body;
  if (shell === 'zsh') return `autoload -Uz bashcompinit && bashcompinit\n${body}`;
  throw new CliError('usage', `"${shell}" is none of ${SHELLS.join(', ')}`);
}
