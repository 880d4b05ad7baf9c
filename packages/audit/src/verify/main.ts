import { systemTime } from '@oddlot/host/clock';
import { readFlags, SettingError } from '@oddlot/host/settings';
import { folderRefusal } from './folder-refusal.ts';
import type { Located, VerifyReport } from './report.ts';
import { verifyFolder } from './verify-folder.ts';

/**
 * Looks through a data folder and believes nothing of it: `oddlot verify FOLDER [--json] [--pruned]`. Ends with 0 when
 * all of it stands, with 1 when something does not, with 2 when it was asked wrongly or a venue runs on the folder.
 */

const HELP = `oddlot verify FOLDER [--json] [--pruned]
oddlot verify URL [--network NAME] [--former-name NAME] [--genesis HASH] [--from HEIGHT] [--to HEIGHT] [--venue URL] [--json]
oddlot verify receipt --tx HASH [--url URL] [--network NAME] [--log URL] [--json]
oddlot verify liquidation --user ADDRESS [--time MS or --tid ID] [--url URL] [--network NAME] [--log URL] [--json]
oddlot verify settlement --instrument ID [--url URL] [--json]
oddlot verify reserves --user ADDRESS (--url URL or --proof FILE, or both) [--root ROOT] [--rpc URL] [--bridge ADDRESS] [--token ADDRESS] [--json]

Looks through the data folder of a venue that does not run: every byte of its log, every signature, every
state, row and receipt. Nothing is changed.

  --json     prints what it found as JSON
  --pruned   rows that retention has dropped (historyKeep, receiptsKeptMs) are no finding

With the URL of a log (the operations port of a venue that runs with --serve-log) it replays that in the same way, and --venue
compares with what the venue tells everybody of its blocks.

receipt computes hash, signer and place of a request again, liquidation why and at which prices an account was liquidated; with
the log of the venue (--log) an engine of its own computes results and marks too. settlement computes the result of an outcome
market again from its receipt, and reserves checks that an address is counted in what a venue says it owes.

Exit codes: 0 all of it agrees, 1 something differs, 2 nothing to compare or a wrong question, 4 no answer
`;

const WRONG_QUESTION = 2;

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
    if (data === undefined || more !== undefined)
      throw new SettingError('one folder is looked through');
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

/** Told to programs in the form in which `oddlot` tells them of all faults. */
function refuse(args: readonly string[], message: string): number {
  const fault = { error: { name: 'CliError', message, exitCode: WRONG_QUESTION } };
  process.stderr.write(`${args.includes('--json') ? JSON.stringify(fault) : message}\n`);
  return WRONG_QUESTION;
}

function textOf({ believed, counts, findings, harmless, hash, height }: VerifyReport): string {
  const stands = findings.length === 0 ? 'all of it stands' : 'it does not stand';
  const lines = [
    `${stands}: ${counts.derived} requests derived up to block ${height} ${hash}`,
    ...findings.map((each) => `wrong     ${placeText(each)}`),
    ...harmless.map((each) => `harmless  ${placeText(each)}`),
    ...believed.map((each) => `believed  ${each}`),
  ];
  return `${lines.join('\n')}\n`;
}

function placeText({ block, file, offset, what }: Located): string {
  const byte = offset === undefined ? '' : `, byte ${offset}`;
  const at = block === undefined ? '' : `, block ${block}`;
  return `${file}${byte}${at}: ${what}`;
}
