import { ApiError, SigningError, TransportError, ValidationError } from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';

/** Runs a check; what stands in its way is one line, and a code of its own. */
export async function runCheck(
  print: (line: string) => void,
  check: () => Promise<number>,
): Promise<number> {
  try {
    return await check();
  } catch (error) {
    print(reasonOf(error));
    return codeOf(error);
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
