import { CliError } from './cli-error.ts';

/** Reads an argument that counts something; `name` is how the command calls it, such as `--levels`. */
export function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new CliError('usage', `Invalid ${name} "${text}". Use a whole number above zero.`);
}
