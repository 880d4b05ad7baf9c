import type { Command } from 'commander';
import type { ApiError, ValidationError } from '@oddlot/sdk';

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
