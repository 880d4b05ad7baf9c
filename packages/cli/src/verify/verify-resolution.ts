import { checkResolution, createClient } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { readQuestion, urlOf } from './read-question.ts';
import { runCheck } from './run-check.ts';

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
  return runCheck(print, async () => {
    const { instrument, url } = read(args);
    return verifyResolution(url, instrument, print);
  });
}

function read(args: readonly string[]): { readonly url: string; readonly instrument: number } {
  const { instrument = '', url } = readQuestion(args, {
    url: { type: 'string', default: 'http://127.0.0.1:8690' },
    instrument: { type: 'string' },
  });
  if (!/^[0-9]+$/.test(instrument)) throw new CliError('usage', USAGE);
  return { url: urlOf(url), instrument: Number(instrument) };
}
