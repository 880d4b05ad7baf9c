import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CliError } from '../cli-error.ts';

/** Reads what stands behind the name of a check; what can't be understood is a usage error. */
export function readQuestion<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new CliError('usage', (error as Error).message, { cause: error });
  }
}

/** Where somebody is asked. */
export function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CliError('usage', `Invalid URL "${text}". Use an http or https URL.`);
}
