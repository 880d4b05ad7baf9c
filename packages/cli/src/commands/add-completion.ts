import { settingFlags } from '@oddlot/host/settings';
import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A command path, such as `market change`, and its completions. */
type Completed = {
  readonly path: string;
  readonly words: readonly string[];
  readonly summary: string;
};

/** The completions of programs that parse their own command line. */
type ProgramWords = Readonly<Record<string, readonly string[]>>;

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('Print a completion script for bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nAdd the line for your shell to its startup file:\n  bash: source <(oddlot completion bash)\n  zsh:  source <(oddlot completion zsh)\n  fish: oddlot completion fish | source',
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const commands = completedIn(program, await programWords());
      process.stdout.write(shell === 'fish' ? fishScript(commands) : bashScript(commands, shell));
    });
}

/**
 * `bridge` and `verify` do not declare their settings. A test compares these words with their help.
 */
const BRIDGE_WORDS =
  'key address status deploy pause unpause cancel-queued finish rotate cancel return move sign ' +
  '--rpc --chain-id --confirmations --wait-seconds --bridge --key --token --validators --threshold --guardian --large-usd ' +
  '--delay-seconds --prepare --send --signature --operations --tx --log --to --id --account';
const VERIFY_WORDS =
  'receipt liquidation settlement reserves --pruned --network --former-name --genesis --from --to --venue --tx --url --log ' +
  '--user --time --tid --instrument --proof --root --rpc --bridge --token';

/** The settings are loaded on demand, because the programs are large. */
async function programWords(): Promise<ProgramWords> {
  const [{ VENUE_SETTINGS }, { RELAY_SETTINGS }, { VALIDATOR_SETTINGS }] = await Promise.all([
    import('@oddlot/venue'),
    import('@oddlot/relay'),
    import('@oddlot/custody/validator'),
  ]);
  const others = ['--config', '--help', '--json'];
  const venue = [...settingFlags(VENUE_SETTINGS), ...others];
  return {
    start: [...venue, '--version'],
    'rebuild-history': venue,
    relay: [...settingFlags(RELAY_SETTINGS), ...others],
    validator: [...settingFlags(VALIDATOR_SETTINGS), ...others],
    bridge: [...BRIDGE_WORDS.split(' '), '--help', '--json'],
    verify: [...VERIFY_WORDS.split(' '), '--help', '--json'],
  };
}

function completedIn(program: Command, programs: ProgramWords): readonly Completed[] {
  const globals = longOptions(program);
  const found: Completed[] = [];
  const visit = (command: Command, before: string): void => {
    const path = before === '' ? command.name() : `${before} ${command.name()}`;
    const own = programs[path] ?? [
      ...command.commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...longOptions(command),
      ...globals,
      '--help',
    ];
    found.push({ path, words: own, summary: command.summary() });
    for (const each of command.commands) visit(each, path);
  };
  for (const each of program.commands) visit(each, '');
  return found;
}

function longOptions({ options }: Command): readonly string[] {
  return options.flatMap(({ long }) => long ?? []);
}

function bashScript(commands: readonly Completed[], shell: 'bash' | 'zsh'): string {
  const names = topLevel(commands).map(({ path }) => path);
  const paths = commands.map(({ path }) => `'${path}'`).join('|');
  const cases = commands.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`);
  const body = [
    '_oddlot() {',
    "  local words='' path='' next='' i",
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    next="${path:+$path }${COMP_WORDS[i]}"',
    `    case "$next" in ${paths}) path="$next" ;; esac`,
    '  done',
    '  case "$path" in',
    `    '') words='${names.join(' ')}' ;;`,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _oddlot oddlot',
    '',
  ].join('\n');
  return shell === 'bash' ? body : `autoload -Uz bashcompinit && bashcompinit\n${body}`;
}

function fishScript(commands: readonly Completed[]): string {
  const names = topLevel(commands).map(
    ({ path, summary }) =>
      `complete -c oddlot -n __fish_use_subcommand -f -a ${path} -d '${summary.replaceAll("'", "\\'")}'`,
  );
  const words = commands.map(({ path, words: all }) => {
    const seen = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`);
    return `complete -c oddlot -n '${seen.join('; and ')}' -f -a '${all.join(' ')}'`;
  });
  return `${[...names, ...words].join('\n')}\n`;
}

function topLevel(commands: readonly Completed[]): readonly Completed[] {
  return commands.filter(({ path }) => !path.includes(' '));
}
