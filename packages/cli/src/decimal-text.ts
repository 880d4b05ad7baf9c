import { CliError } from './cli-error.ts';

/** An argument that is a price; `name` is how the command calls it. The venue judges ticks and bounds. */
export function decimalText(name: string, text: string): string {
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return text;
  throw new CliError('usage', `Invalid ${name} "${text}". Use a decimal number.`);
}
