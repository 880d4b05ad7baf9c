import { CliError } from './cli-error.ts';

export function wholeNumber(text: string | undefined): number {
  const value = Number(text);
  if (text !== undefined && Number.isSafeInteger(value) && value > 0) return value;
  throw new CliError('usage', `"${text ?? ''}" is no whole number above zero`);
}
