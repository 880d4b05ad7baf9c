import { ApiError, SigningError, TransportError, ValidationError } from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';

/** A line for people, or a JSON value for programs; a fault is no result, and goes elsewhere. */
export type Print = (line: string, isFault?: boolean) => void;

/** Runs a check; what stands in its way is one line, and a code of its own. */
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

/** A venue that is too busy, or fails, has not said that the question is wrong. */
const BUSY_STATUS_MIN = 429;

function codeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ValidationError || error instanceof SigningError) return EXIT.usage;
  if (error instanceof TransportError) return EXIT.unreachable;
  if (!(error instanceof ApiError)) return EXIT.fault;
  return error.httpStatus < BUSY_STATUS_MIN ? EXIT.usage : EXIT.unreachable;
}

/** The messages of an error and of what is behind it, in one line. */
function reasonOf(error: unknown): string {
  const told: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const message = each.message || String((each as { code?: unknown }).code ?? each.name);
    if (!told.some((before) => before.includes(message))) told.push(message);
  }
  return (told.length === 0 ? String(error) : told.join(': ')).replaceAll('\n', ' ');
}
