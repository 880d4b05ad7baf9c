import { parseArgs } from 'node:util';
import { checkResolution, createClient } from '@oddlot/sdk';

/**
 * Computes the settlement of an outcome market again from its receipt (R-settlement):
 *
 *     npm run verify-resolution -- --url http://127.0.0.1:8690 --instrument 100001
 *
 * Ends with 0 when everything agrees, 1 when something differs, 2 when there is nothing to compare.
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8690' },
      instrument: { type: 'string' },
    },
  });
  if (!/^[0-9]+$/.test(values.instrument ?? '')) {
    throw new Error('usage: npm run verify-resolution -- --url <url> --instrument <id>');
  }
  process.exitCode = await verifyResolution(values.url, Number(values.instrument), console.log);
}
