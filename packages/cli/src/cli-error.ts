import type { Command } from 'commander';
import type { ApiError, ValidationError } from '@oddlot/sdk';

/** The exit codes for scripts, documented in docs/build/cli.md. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  /** The venue rejected the request. Nothing was changed. */
  refused: 3,
  /** There was no response, or the response does not show whether the action was executed. */
  unreachable: 4,
  /**
   * The key file is missing or damaged, the password is wrong, or the key of an agent was used
   * where the account's own key is required.
   */
  key: 5,
  /** Only some of the steps were executed; their effects remain. */
  part: 6,
} as const;

/** Thrown to end a command with an error message and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    kind: keyof typeof EXIT,
    message: string,
    { facts = {}, ...options }: ErrorOptions & { facts?: CliError['facts'] } = {},
  ) {
    super(message, options);
    this.exitCode = EXIT[kind];
    this.facts = facts;
  }
}

/**
 * For each field of the command's request, the argument's name and the accepted values, such as
 * `['--price', 'a decimal number']`.
 */
type FieldNames = Readonly<Record<string, readonly [name: string, expected: string]>>;

const NAMES = new WeakMap<Command, FieldNames>();

/** Registers field names. They include no array indexes, as in `orders.p`. */
export function nameFields(command: Command, names: FieldNames): void {
  NAMES.set(command, names);
}

/**
 * Returns the error for a rejected field under the name of its argument, or undefined if the error
 * does not concern an argument.
 */
export function namedRefusal(
  { details, message }: ApiError | ValidationError,
  command: Command | undefined,
): { readonly argument: string; readonly message: string } | undefined {
  const { field, got } = details ?? {};
  if (command === undefined || field === undefined) return undefined;
  const found = NAMES.get(command)?.[field.replaceAll(/\[\d+\]/g, '')];
  if (found === undefined || !/^(?:Wrong type for|Missing field:) /.test(message)) return undefined;
  const [argument, expected] = found;
  const given = got === undefined ? '' : ` ${JSON.stringify(got)}`;
  return { argument, message: `Invalid ${argument}${given}. Use ${expected}.` };
}
