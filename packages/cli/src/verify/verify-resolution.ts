import { parseArgs } from 'node:util';
import {
  ApiError,
  checkResolution,
  createClient,
  TransportError,
  ValidationError,
} from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';

/**
 * Computes the settlement of an outcome market again from its receipt (R-settlement):
 *
 *     oddlot verify settlement --url http://127.0.0.1:8690 --instrument 100001
 *
 * Ends with 0 when everything agrees, 1 when something differs, 2 when there is nothing to compare or the question
 * is wrong, 4 when the venue does not answer.
 */
export async function verifyResolution(
  url: string,
  instrumentId: number,
  print: (line: string) => void,
): Promise<number> {
  const receipt = await createClient({ url }).info.outcomeResolution({ instrumentId });
  const findings = checkResolution(receipt);
  if (findings.length === 0) {
    print(`market ${instrumentId} is not resolved`);
    return 2;
  }
  for (const { agrees, claimed, computed, what } of findings) {
    print(
      agrees ? `agree   ${what} ${claimed}` : `DIFFER  ${what} ${claimed}, computed ${computed}`,
    );
  }
  if (receipt.inputs === null)
    print('resolved by the operator: there are no samples to compute from');
  return findings.every(({ agrees }) => agrees) ? 0 : 1;
}

const USAGE = 'usage: oddlot verify settlement --url <url> --instrument <id>';

/** Runs the command; what stands in its way is one line. */
export async function runVerifyResolution(
  args: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  try {
    const { instrument, url } = read(args);
    return await verifyResolution(url, instrument, print);
  } catch (error) {
    print(reasonOf(error));
    return codeOf(error);
  }
}

function read(args: readonly string[]): { readonly url: string; readonly instrument: number } {
  const options = {
    url: { type: 'string', default: 'http://127.0.0.1:8690' },
    instrument: { type: 'string' },
  } as const;
  try {
    const { instrument = '', url } = parseArgs({ args: [...args], options }).values;
    if (!/^[0-9]+$/.test(instrument)) throw new Error(USAGE);
    if (!URL.canParse(url)) throw new Error(`${url} is no URL`);
    return { url, instrument: Number(instrument) };
  } catch (error) {
    throw new CliError('usage', (error as Error).message);
  }
}

/** A venue that is too busy, or fails, has not said that the question is wrong. */
const BUSY_STATUS_MIN = 429;

function codeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ValidationError) return EXIT.usage;
  if (error instanceof TransportError) return EXIT.unreachable;
  if (!(error instanceof ApiError)) return EXIT.fault;
  return error.httpStatus < BUSY_STATUS_MIN ? EXIT.usage : EXIT.unreachable;
}

/** The messages of an error and of what is behind it, in one line. */
function reasonOf(error: unknown): string {
  const told: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const message = each.message || String((each as { code?: unknown }).code ?? each.name);
    if (!told.includes(message)) told.push(message);
  }
  return (told.length === 0 ? String(error) : told.join(': ')).replaceAll('\n', ' ');
}
