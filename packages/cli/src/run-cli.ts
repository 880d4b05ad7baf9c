import { Command, CommanderError } from 'commander';
import { ApiError, HttpError, SigningError, ValidationError, VERSION } from '@oddlot/sdk';
import { CliError, EXIT, namedRefusal } from './cli-error.ts';
import { addAccounts } from './commands/add-accounts.ts';
import { addAmends, addTrading } from './commands/add-trading.ts';
import { addBackup, addSnapshot } from './commands/add-backup.ts';
import { addCompletion } from './commands/add-completion.ts';
import { addDeposit, addTransfers } from './commands/add-deposit.ts';
import { addDev } from './commands/add-dev.ts';
import { addGovernance } from './commands/add-governance.ts';
import { addMcp } from './commands/add-mcp.ts';
import { addSign } from './commands/add-sign.ts';
import { addMargin } from './commands/add-margin.ts';
import { addOperating } from './commands/add-operating.ts';
import { addPrograms } from './commands/add-programs.ts';
import { addTables } from './commands/add-tables.ts';
import { addTriggers } from './commands/add-triggers.ts';
import { addVenue } from './commands/add-venue.ts';
import { addWatch } from './commands/add-watch.ts';
import { CommandContext } from './command-context.ts';

const URL_DEFAULT = 'http://127.0.0.1:8690';

export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const isJson = args.includes('--json');
  const program = programOf(env, args, isJson);
  let running: Command | undefined;
  program.hook('preAction', (_, command) => {
    running = command;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    const ended = judge(error, running);
    if (ended === undefined) return EXIT.done;
    const { code, ...facts } = ended;
    const text = isJson ? JSON.stringify({ error: { ...facts, exitCode: code } }) : ended.message;
    process.stderr.write(`${text}\n`);
    return code;
  }
}

function programOf(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  isJson: boolean,
): Command {
  const around = new CommandContext(env);
  const program = new Command('oddlot')
    .description('Trade on, test against and operate an Oddlot venue')
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print help for a command')
    .option('--url <url>', 'URL of the venue', env['ODDLOT_URL'] ?? URL_DEFAULT)
    .option(
      '--network <name>',
      'Network name to sign for (default: as reported by the venue, if it runs on this ' +
        'machine)',
    )
    .option('--key <name>', 'Key to use (default: the key marked in `oddlot keys list`)')
    .option('--json', 'Print one JSON value instead of text')
    .exitOverride()
    // Errors are printed by `runCli`, as text or as JSON.
    .configureOutput({
      outputError: () => undefined,
      ...(isJson ? { writeErr: () => undefined } : {}),
    })
    .addHelpText(
      'after',
      '\nGet started:\n  oddlot dev                      Start a local venue with funded accounts\n  oddlot keys new                 Create a key\n  oddlot faucet                   Get test USDC\n  oddlot order buy 0.01 BTC       Place an order\n  oddlot positions                Show the position\n\nExit codes: 0 success, 1 failure, 2 usage, 3 rejected by the venue, 4 no answer, 5 key or password error, 6 partially done',
    );
  addDev(program);
  addPrograms(program, args);
  addAccounts(program, around);
  addDeposit(program, around);
  addTransfers(program, around);
  addTrading(program, around);
  addTriggers(program, around);
  addAmends(program, around);
  addMargin(program, around);
  addTables(program, around);
  addVenue(program, around);
  addWatch(program, around);
  addSign(program, around);
  addMcp(program, around);
  addBackup(program);
  addSnapshot(program);
  addOperating(program, around);
  addGovernance(program, around);
  addCompletion(program);
  for (const command of program.commands) inherit(command);
  return program;
}

/** Global options can be placed before or after the name, and only the caller ends the process. */
function inherit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inherit(each);
}

type Ended = { readonly code: number; readonly name: string; readonly message: string };

/**
 * Returns the result of a failed command, or undefined if help or the version was printed on
 * request.
 */
function judge(error: unknown, command: Command | undefined): Ended | undefined {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined;
    // Commander has printed the help for a group that was called without a command.
    const isHelp = error.code === 'commander.help';
    const why = isHelp ? 'Missing command. See --help.' : message.replace(/^error: /, '');
    return { code: EXIT.usage, name, message: why };
  }
  if (error instanceof CliError) return { ...error.facts, code: error.exitCode, name, message };
  if (error instanceof HttpError) return { code: EXIT.unreachable, name, message };
  if (error instanceof SigningError) return { code: EXIT.usage, name, message };
  if (!(error instanceof ApiError || error instanceof ValidationError)) {
    return { code: EXIT.fault, name, message };
  }
  const [code, text] =
    error instanceof ApiError ? [EXIT.refused, refusalText(error)] : [EXIT.usage, message];
  return { code, name, message: text, ...namedRefusal(error, command) };
}

/**
 * Returns the text of a rejection, adding the reason if the message does not contain it. A reason
 * with backquotes explains an API field and is omitted.
 */
function refusalText({ details, message }: ApiError): string {
  const { why } = details ?? {};
  if (why === undefined || message.includes(why) || why.includes('`')) return message;
  return `${message.replace(/\.$/, '')}: ${why}`;
}
