import { ApiError, SigningError, TransportError, ValidationError } from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';
import { isDeepStrictEqual, parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { HttpLog, NoLogError } from '@oddlot/audit/http-log';
import {
  type LogReport,
  LogTooShortError,
  verifyLog,
  type VerifyLogOptions,
} from '@oddlot/audit/verify-log';
import { ProgressBar, type Terminal } from '../print.ts';

/** Prints a line of text or a JSON value. Errors are kept separate from results. */
export type Print = (line: string, isFault?: boolean) => void;

/** Runs a check. An error is printed in one line and sets its own exit code. */
export async function runCheck(
  { args, print }: { readonly args: readonly string[]; readonly print: Print },
  check: () => Promise<number>,
): Promise<number> {
  try {
    return await check();
  } catch (error) {
    const [message, exitCode] = [reasonOf(error), codeOf(error)];
    const name = error instanceof Error ? error.name : 'Error';
    const fault = { error: { name, message, exitCode } };
    print(args.includes('--json') ? JSON.stringify(fault) : message, true);
    return exitCode;
  }
}

/**
 * Statuses from this value upwards mean that the venue is busy or failing, not that the request is
 * wrong.
 */
const BUSY_STATUS_MIN = 429;

function codeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ValidationError || error instanceof SigningError) return EXIT.usage;
  if (error instanceof TransportError) return EXIT.unreachable;
  if (!(error instanceof ApiError)) return EXIT.fault;
  return error.httpStatus < BUSY_STATUS_MIN ? EXIT.usage : EXIT.unreachable;
}

/** Returns the messages of an error and its causes, in one line. */
function reasonOf(error: unknown): string {
  const reported: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const message = each.message || String((each as { code?: unknown }).code ?? each.name);
    if (!reported.some((before) => before.includes(message))) reported.push(message);
  }
  return (reported.length === 0 ? String(error) : reported.join(': ')).replaceAll('\n', ' ');
}

type Finding = {
  readonly kind: 'agree' | 'DIFFER' | 'believed';
  readonly what: string;
  readonly told: string;
  /** The computed value, if it differs from the reported one. */
  readonly computed?: string;
};

const BRIEF_MAX = 300;

/** The sources of values that a venue reports and that its log also contains. */
export const VENUE_AND_LOG = ['venue', 'log'] as const;

/** The results of a check, in the order in which they were compared. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #lines: string[] = [];

  /**
   * Compares two values, ignoring the order of keys. If they differ, the printed line names the
   * source of each.
   */
  same(
    what: string,
    reported: unknown,
    computed: unknown,
    [first, second]: readonly [string, string] = ['reported', 'recomputed'],
  ): void {
    const isSame = isDeepStrictEqual(reported, computed);
    const [one, other] = [brief(reported), brief(computed)];
    const disagreement = `${what}: ${first} ${one}, ${second} ${other}`;
    this.#add(
      { what, told: one, computed: other },
      isSame,
      isSame ? `${what}: ${one}` : disagreement,
    );
  }

  /**
   * Records whether a condition on the reported value holds; `disagreement` is the printed line if it
   * does not.
   */
  holds(
    what: string,
    isSo: boolean,
    reported: string,
    computed: string,
    disagreement: string,
  ): void {
    const line = isSo ? `${what} ${reported}` : disagreement;
    this.#add({ what, told: reported, computed }, isSo, line);
  }

  /** Records a fact that cannot be derived from the available data. */
  believe(what: string, reported: string): void {
    this.all.push({ kind: 'believed', what, told: reported });
    this.#lines.push(`unverified  ${what}: ${reported}`);
  }

  #add({ computed, ...found }: Required<Omit<Finding, 'kind'>>, isSo: boolean, line: string): void {
    const kind = isSo ? 'agree' : 'DIFFER';
    this.all.push(isSo ? { kind, ...found } : { kind, ...found, computed });
    this.#lines.push(`${kind.padEnd(8)}${line}`);
  }

  /**
   * Returns the exit code. The code is `fault` if a value differs and `usage` if nothing could be
   * compared.
   */
  get exitCode(): number {
    if (this.all.some(({ kind }) => kind === 'DIFFER')) return EXIT.fault;
    return this.all.some(({ kind }) => kind === 'agree') ? EXIT.done : EXIT.usage;
  }

  lines(): readonly string[] {
    return this.#lines;
  }
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return text.length <= BRIEF_MAX ? text : `${text.slice(0, BRIEF_MAX)}…`;
}

/** Parses the arguments of a check. An invalid argument is a usage error. */
export function readCheckOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new CliError('usage', (error as Error).message, { cause: error });
  }
}

export function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CliError('usage', `Invalid URL "${text}". Use an http or https URL.`);
}

/** Replays a venue's log with the checker's own engine, and shows progress. */
export async function replayLog(
  url: string,
  options: Omit<VerifyLogOptions, 'now' | 'onProgress' | 'source'>,
  terminal: Terminal = process.stderr,
): Promise<LogReport> {
  const bar = new ProgressBar(terminal);
  const isShown = terminal.isTTY === true;
  try {
    return await verifyLog({
      ...options,
      source: new HttpLog(url),
      now: () => Date.now(),
      onProgress: (done, of) => {
        if (isShown) bar.show({ done, of, what: `block ${done} of ${of}` });
      },
    });
  } catch (error) {
    if (error instanceof NoLogError) {
      const kind = error.isSilent ? 'unreachable' : 'usage';
      throw new CliError(kind, error.isSilent ? error.message : hinted(error.message), {
        cause: error,
      });
    }
    if (error instanceof LogTooShortError || (error as Error).name === 'NotYetError') {
      throw new CliError('usage', (error as Error).message, { cause: error });
    }
    throw error;
  } finally {
    if (isShown) bar.end();
  }
}

function hinted(message: string): string {
  return `${message} (start the venue with --serve-log to serve its log on the operations port)`;
}
