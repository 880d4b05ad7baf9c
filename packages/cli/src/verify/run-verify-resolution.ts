import { checkResolution, createClient } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { Findings, type Print, readCheckOptions, runCheck, urlOf } from './run-check.ts';

/**
 * Recomputes the settlement of an outcome market from its resolution record (R-settlement):
 *
 * `oddlot verify settlement --url http://127.0.0.1:8690 --instrument 100001 [--json]`
 *
 * The command exits with 0 if all values agree, with 1 if a value differs, with 2 for wrong usage
 * or if there is nothing to compare, and with 4 if the venue does not respond.
 */
async function verifyResolution(url: string, instrumentId: number): Promise<Findings> {
  const receipt = await createClient({ url }).info.outcomeResolution({ instrumentId });
  const compared = checkResolution(receipt);
  if (compared.length === 0) {
    throw new CliError('usage', `Market ${instrumentId} has not been resolved`);
  }
  const findings = new Findings();
  for (const { claimed, computed, what } of compared) findings.same(what, claimed, computed);
  if (receipt.inputs === null) {
    findings.believe(
      'the result',
      'set by the operator, so there are no samples to recompute it from',
    );
  }
  return findings;
}

const USAGE = 'usage: oddlot verify settlement --url <url> --instrument <id> [--json]';

export function runVerifyResolution(args: readonly string[], print: Print): Promise<number> {
  return runCheck({ args, print }, async () => {
    const { instrument, isJson, url } = read(args);
    const findings = await verifyResolution(url, instrument);
    print(isJson ? JSON.stringify(findings.all) : findings.lines().join('\n'));
    return findings.exitCode;
  });
}

function read(args: readonly string[]): {
  readonly url: string;
  readonly instrument: number;
  readonly isJson: boolean;
} {
  const {
    instrument = '',
    json = false,
    url,
  } = readCheckOptions(args, {
    url: { type: 'string', default: 'http://127.0.0.1:8690' },
    instrument: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (!/^[0-9]+$/.test(instrument)) throw new CliError('usage', USAGE);
  return { url: urlOf(url), instrument: Number(instrument), isJson: json };
}
