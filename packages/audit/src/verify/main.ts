import { systemTime } from '@oddlot/host/clock';
import { readFlags, SettingError } from '@oddlot/host/settings';
import { folderRefusal, verifyFolder } from './verify-folder.ts';
import type { Located, VerifyReport } from './report.ts';

/**
 * Verifies a data folder independently (`oddlot verify FOLDER [--json] [--pruned]`). The program
 * exits with 0 if everything is valid, with 1 after a finding, and with 2 on incorrect usage or if
 * a venue is running on the folder.
 */

const HELP = `oddlot verify FOLDER [--json] [--pruned]
oddlot verify URL [--network NAME] [--former-name NAME] [--genesis HASH] [--from HEIGHT] [--to HEIGHT] [--venue URL] [--json]
oddlot verify receipt --tx HASH [--url URL] [--network NAME] [--log URL] [--json]
oddlot verify liquidation --user ADDRESS [--time MS or --tid ID] [--url URL] [--network NAME] [--log URL] [--json]
oddlot verify settlement --instrument ID [--url URL] [--json]
oddlot verify reserves --user ADDRESS (--url URL or --proof FILE, or both) [--root ROOT] [--rpc URL] [--bridge ADDRESS] [--token ADDRESS] [--json]

Verifies the data folder of a stopped venue: every byte of its log, every signature, every state, row and
receipt. Changes nothing.

  --json     Print the report as JSON
  --pruned   Allow for rows that retention has removed (historyKeep, receiptsKeptMs)

Given the URL of a log (the operations port of a venue started with --serve-log), replays that log in the same
way; --venue also compares its blocks with those that the venue publishes.

receipt      Recomputes the hash and signer of a request and its position in the block; with --log, also its result
liquidation  Recomputes the cause and the prices of a liquidation; with --log, also the marks
settlement   Recomputes the result of an outcome market from its resolution record
reserves     Checks that an account is included in a venue's published liabilities

Exit codes: 0 everything agrees, 1 something differs, 2 nothing to compare or a usage error, 4 no answer
`;

const WRONG_USAGE = 2;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = {
      json: { type: 'boolean' },
      pruned: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    const { positionals, values } = readFlags(args, options, { allowPositionals: true });
    const [data, more] = positionals;
    if (values.help === true) {
      process.stdout.write(HELP);
      return 0;
    }
    if (data === undefined || more !== undefined) throw new SettingError('Pass exactly one folder');
    const refusal = folderRefusal(data);
    if (refusal !== undefined) return refuse(args, refusal);
    const report = await verifyFolder({
      data,
      hasPruned: values.pruned === true,
      now: systemTime.wallMs,
    });
    process.stdout.write(
      values.json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(report),
    );
    return report.findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return refuse(args, `${error.message} (see --help)`);
  }
}

/** Prints a refusal. With `--json`, it has the same form as all `oddlot` errors. */
function refuse(args: readonly string[], message: string): number {
  const fault = { error: { name: 'CliError', message, exitCode: WRONG_USAGE } };
  process.stderr.write(`${args.includes('--json') ? JSON.stringify(fault) : message}\n`);
  return WRONG_USAGE;
}

function textOf({ believed, counts, findings, harmless, hash, height }: VerifyReport): string {
  const verdict = findings.length === 0 ? 'verified' : 'NOT VALID';
  const lines = [
    `${verdict}: ${counts.derived} requests checked up to block ${height}, hash ${hash}`,
    ...findings.map((each) => `invalid     ${placeText(each)}`),
    ...harmless.map((each) => `harmless    ${placeText(each)}`),
    ...believed.map((each) => `unverified  ${each}`),
  ];
  return `${lines.join('\n')}\n`;
}

function placeText({ block, file, offset, what }: Located): string {
  const byte = offset === undefined ? '' : `, byte ${offset}`;
  const at = block === undefined ? '' : `, block ${block}`;
  return `${file}${byte}${at}: ${what}`;
}
