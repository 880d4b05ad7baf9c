import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { VALIDATOR_PROGRAM, VERIFY_PROGRAM } from '@oddlot/audit/programs';
import { BRIDGE_PROGRAM } from '@oddlot/custody/bridge-program';
import { RELAY_PROGRAM } from '@oddlot/relay';
import { helpAsked } from '@oddlot/host/settings';
import { VENUE_PROGRAM } from '@oddlot/venue/program';
import { CliError, EXIT } from '../cli-error.ts';
import { endAsJson, ProgressBar, type Terminal } from '../print.ts';
import { runVerifyLiquidation } from '../verify/run-verify-liquidation.ts';
import { runVerifyReceipt } from '../verify/run-verify-receipt.ts';
import { runVerifyReserves } from '../verify/verify-reserves.ts';
import { runVerifyResolution } from '../verify/run-verify-resolution.ts';
import { runVerifyUrl } from '../verify/run-verify-url.ts';
import { join } from 'node:path';
import { rebuildHistory } from '@oddlot/history/rebuild-history';
import { readConfig } from '@oddlot/venue';

/**
 * Runs a program with the remaining arguments. Resolves with its exit code, or with undefined if
 * the program sets its own.
 */
type Run = (args: readonly string[], isJson: boolean) => Promise<number | undefined>;

const print = (line: string, isFault = false): void => {
  (isFault ? process.stderr : process.stdout).write(`${line}\n`);
};

/**
 * The programs that have their own settings and parse all arguments after the name, including
 * `--help`.
 */
const PROGRAMS: readonly (readonly [name: string, summary: string, run: Run])[] = [
  [
    'start',
    'Start a venue with settings from flags or a file (--config oddlot.toml)',
    forJson('start', VENUE_PROGRAM),
  ],
  ['relay', 'Start a relay between chains', forJson('relay', RELAY_PROGRAM)],
  [
    'validator',
    'Start a validator that signs bridge payouts',
    forJson('validator', VALIDATOR_PROGRAM),
  ],
  [
    'bridge',
    'Deploy, inspect and pause a bridge, and rotate its validators',
    forJson('bridge', BRIDGE_PROGRAM),
  ],
  [
    'verify',
    'Verify a data folder, a log, a settlement, a liquidation, a receipt or reserves',
    runVerify,
  ],
  [
    'rebuild-history',
    'Recompute the history of a stopped venue from its log (--data <folder>)',
    rebuild,
  ],
];

export function addPrograms(program: Command, given: readonly string[]): void {
  for (const [name, summary, run] of PROGRAMS) {
    program
      .command(name)
      .summary(summary)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[settings...]', 'Program settings')
      .action(async () => {
        const isJson = given.includes('--json');
        const at = given.indexOf(name);
        const early = given.slice(0, at).find((arg) => arg.startsWith('-') && arg !== '--json');
        // Without this check, the flag would be silently ignored.
        if (early !== undefined) {
          const why = `Put ${early} after the command: oddlot ${name} … ${early}`;
          throw new CliError('usage', why);
        }
        const code = await run(given.slice(at + 1), isJson);
        if (code !== undefined) process.exitCode = code;
      });
  }
}

/**
 * Returns a function that runs a program in place of this process. With `--json`, the program's
 * output is printed as one JSON object when it exits.
 */
function forJson(name: string, file: string): Run {
  return (args, isJson) => {
    if (isJson) endAsJson(name);
    return inPlace(file)(withoutJson(args), isJson);
  };
}

const REBUILD_HELP = `oddlot rebuild-history --data FOLDER [--database URL] [--config FILE] [--json]

Recomputes the history of a stopped venue from its log. Accepts all settings of the venue; see \`oddlot start --help\`.

Exit codes: 0 the history is complete, 1 it could not be completed, 2 there is no log, a venue is using it, or a setting is wrong
`;

function rebuild(args: readonly string[], isJson: boolean): Promise<number> {
  const { env: environment, stderr, stdout } = process;
  if (helpAsked(args) !== undefined) {
    stdout.write(REBUILD_HELP);
    return Promise.resolve(EXIT.done);
  }
  return runRebuildHistory(withoutJson(args), { environment, stderr, stdout, isJson });
}

function withoutJson(args: readonly string[]): readonly string[] {
  return args.filter((arg) => arg !== '--json');
}

/** Returns a function that replaces this process with the program. */
function inPlace(file: string): Run {
  return async (args) => {
    process.argv.splice(1, Infinity, file, ...args);
    await import(pathToFileURL(file).href);
    return undefined;
  };
}

function runVerify(args: readonly string[], isJson: boolean): Promise<number | undefined> {
  if (args.includes('--help')) return inPlace(VERIFY_PROGRAM)(['--help'], isJson);
  // As with every command, `--json` can also precede the name.
  const [what, ...others] = isJson ? [...withoutJson(args), '--json'] : args;
  const rest = [...others, ...venueOf(what, others)];
  if (what === 'settlement') return runVerifyResolution(rest, print);
  if (what === 'reserves') return runVerifyReserves(rest, print);
  if (what === 'receipt') return runVerifyReceipt(rest, print);
  if (what === 'liquidation') return runVerifyLiquidation(rest, print);
  if (what !== undefined && /^https?:/.test(what)) return runVerifyUrl([what, ...rest], print);
  return inPlace(VERIFY_PROGRAM)(what === undefined ? rest : [what, ...rest], isJson);
}

/** Returns the venue from the environment, for checks that need one when none is given. */
function venueOf(what: string | undefined, args: readonly string[]): readonly string[] {
  const { ODDLOT_URL: url } = process.env;
  const asks = ['settlement', 'reserves', 'receipt', 'liquidation'].includes(what ?? '');
  const isGiven = args.some((arg) => /^--(?:url|proof)(?:=|$)/.test(arg));
  return url === undefined || !asks || isGiven ? [] : ['--url', url];
}

/**
 * These errors are compared by name, because this package does not import the modules that throw
 * them.
 */
const USAGE_ERRORS: readonly string[] = [
  'DirectoryLockedError',
  'RebuildRefusedError',
  'SettingError',
];

/**
 * Discards the history of a stopped venue and recomputes it from its log:
 *
 * `oddlot rebuild-history --data ./data [--database postgres://…] [--json]`
 *
 * The command reads the venue's settings from flags, the environment or a file. It exits with 0 if
 * the history is complete, with 1 if it was not completed, and with 2 if the log is missing, a
 * venue is using it, or the settings are invalid.
 */
export async function runRebuildHistory(
  args: readonly string[],
  {
    environment,
    isJson,
    stderr,
    stdout,
  }: {
    readonly environment: NodeJS.ProcessEnv;
    readonly stderr: Terminal;
    readonly stdout: Terminal;
    /** Prints the result as one JSON object on standard output. */
    readonly isJson: boolean;
  },
): Promise<number> {
  try {
    const { data, database } = readConfig([...args], environment);
    const place =
      database === undefined ? { file: join(data, 'history.sqlite') } : { url: database };
    const bar = new ProgressBar(stderr);
    const { height, rows } = await rebuildHistory({
      data,
      place,
      onProgress: ({ height: done, of }) => bar.show({ done, of, what: `block ${done} of ${of}` }),
    });
    bar.end();
    const counts = Object.entries(rows).map(([name, count]) => `${count} ${name}`);
    stderr.write(`History complete up to block ${height}: ${counts.join(', ')}\n`);
    if (isJson) stdout.write(`${JSON.stringify({ height, rows })}\n`);
    return EXIT.done;
  } catch (error) {
    const { message, name } = error instanceof Error ? error : new Error(String(error));
    const exitCode = USAGE_ERRORS.includes(name) ? EXIT.usage : EXIT.fault;
    const output = isJson ? JSON.stringify({ error: { name, message, exitCode } }) : message;
    stderr.write(`${output}\n`);
    return exitCode;
  }
}
