import { parseArgs } from 'node:util';
import { checkResolution, createClient } from '@oddlot/sdk';

/**
 * Computes the settlement of an outcome market again from its receipt (R-settlement):
 *
 *     oddlot verify settlement --url http://127.0.0.1:8690 --instrument 100001
 *
 * Ends with 0 when everything agrees, 1 when something differs or can't be asked for, 2 when there is nothing
 * to compare.
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
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:8690' },
        instrument: { type: 'string' },
      },
    });
    if (!/^[0-9]+$/.test(values.instrument ?? '')) throw new Error(USAGE);
    return await verifyResolution(values.url, Number(values.instrument), print);
  } catch (error) {
    print(reasonOf(error));
    return 1;
  }
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
