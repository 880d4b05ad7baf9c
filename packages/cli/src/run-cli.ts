import { Command, CommanderError } from 'commander';
import { ApiError, HttpError, SigningError, ValidationError, VERSION } from '@oddlot/sdk';
import { CliError, EXIT } from './cli-error.ts';
import { addAccounts } from './commands/add-accounts.ts';
import { addBackup } from './commands/add-backup.ts';
import { addCompletion } from './commands/add-completion.ts';
import { addDeposit } from './commands/add-deposit.ts';
import { addDev } from './commands/add-dev.ts';
import { addGovernance } from './commands/add-governance.ts';
import { addOperating } from './commands/add-operating.ts';
import { addPrograms } from './commands/add-programs.ts';
import { addSnapshot } from './commands/add-snapshot.ts';
import { addTables } from './commands/add-tables.ts';
import { addTrading } from './commands/add-trading.ts';
import { addVenue } from './commands/add-venue.ts';
import { addWatch } from './commands/add-watch.ts';
import { Surroundings } from './surroundings.ts';

const URL_DEFAULT = 'http://127.0.0.1:8690';

/** Runs one command and says how it ended. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const program = programOf(env, args);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return told(error, args.includes('--json'));
  }
}

function programOf(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Command {
  const around = new Surroundings(env);
  const program = new Command('oddlot')
    .description(
      'A trading venue on your machine, and what traders and operators do from a terminal.',
    )
    .version(VERSION)
    .option('--url <url>', 'the venue', env['ODDLOT_URL'] ?? URL_DEFAULT)
    .option(
      '--network <name>',
      'the name that the venue goes by, for signatures; asked of a venue on this machine',
    )
    .option('--key <name>', 'who signs, of `oddlot keys list`; not needed where there is one')
    .option('--json', 'one JSON value for programs, instead of text for people')
    .exitOverride()
    .addHelpText(
      'after',
      '\nBegin with:\n  oddlot dev                      a venue with funded accounts, here\n' +
        '  oddlot keys new                 a key of your own\n  oddlot faucet                   test money for it\n' +
        '  oddlot order buy 0.01 BTC       an order\n  oddlot positions                what it led to\n\n' +
        'Exit codes: 0 done, 1 fault, 2 usage, 3 refused by the venue, 4 no answer, 5 key or password, 6 done in part',
    );
  addDev(program);
  addPrograms(program, args);
  addAccounts(program, around);
  addDeposit(program, around);
  addTrading(program, around);
  addTables(program, around);
  addVenue(program, around);
  addWatch(program, around);
  addBackup(program);
  addSnapshot(program);
  addOperating(program, around);
  addGovernance(program, around);
  addCompletion(program);
  for (const command of program.commands) inherit(command);
  return program;
}

/** Options of all commands may stand before and behind the name; and nobody but the caller ends the process. */
function inherit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) inherit(each);
}

function told(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError) {
    // Help and version were asked for; what is wrong has been said.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  const { code, message } = judge(error);
  const name = (error as { readonly name?: string }).name ?? 'Error';
  const facts = error instanceof CliError ? error.facts : {};
  const text = isJson
    ? JSON.stringify({ error: { name, message, exitCode: code, ...facts } })
    : message;
  process.stderr.write(`${text}\n`);
  return code;
}

function judge(error: unknown): { readonly code: number; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CliError) return { code: error.exitCode, message };
  if (error instanceof ApiError) return { code: EXIT.refused, message: refusalText(error) };
  if (error instanceof HttpError) return { code: EXIT.unreachable, message };
  if (error instanceof ValidationError || error instanceof SigningError) {
    return { code: EXIT.usage, message };
  }
  return { code: EXIT.fault, message };
}

/** Some refusals give their reason apart from the message; one in backquotes explains a field to programs. */
function refusalText({ details, message }: ApiError): string {
  const { why } = details ?? {};
  if (why === undefined || message.includes(why) || why.includes('`')) return message;
  return `${message.replace(/\.$/, '')}: ${why}`;
}
