import type { Command } from 'commander';
import type { ApiError, ValidationError } from '@oddlot/sdk';

/** How a command ended, for scripts. Documented in docs/build/cli.md. */
export const EXIT = {
  done: 0,
  /** A fault of the program. */
  fault: 1,
  /** The command line can't be understood. */
  usage: 2,
  /** The venue said no; nothing has changed. */
  refused: 3,
  /** No answer, or none that says whether it executed. */
  unreachable: 4,
  /** A key is missing or is an agent's where the account's own is needed, its password is wrong, or its file is damaged. */
  key: 5,
  /** The first steps of several are done, and one was not: what is there stays. */
  part: 6,
} as const;

/** Ends a command with a sentence and a code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  /** What a program is told beside the sentence. */
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

/** How a command calls a field of the request that it sends, and what it takes: `['--price', 'a decimal number']`. */
type FieldNames = Readonly<Record<string, readonly [name: string, expected: string]>>;

const NAMES = new WeakMap<Command, FieldNames>();

/** Fields are written without positions: `orders.p`. */
export function nameFields(command: Command, names: FieldNames): void {
  NAMES.set(command, names);
}

/** A refusal of a field in the words of the command line; undefined where it is about none of the command's arguments. */
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
