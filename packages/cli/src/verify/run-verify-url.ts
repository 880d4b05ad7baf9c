import type { LogReport } from '@oddlot/audit/verify-log';
import { createClient } from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';
import { wholeNumber } from '../whole-number.ts';
import { readQuestion, urlOf } from './read-question.ts';
import { replayLog } from './replay-log.ts';
import { type Print, runCheck } from './run-check.ts';
import { ToldBlocks } from './told-blocks.ts';

/**
 * Replays everything that a running venue ever did, and believes nothing of it:
 *
 *     oddlot verify http://127.0.0.1:8692 [--network NAME] [--venue http://127.0.0.1:8690]
 *
 * Ends with 0 when all of it stands, with 1 and the first block that does not, with 2 when there is no log to be read or the question is
 * wrong, with 4 when the venue does not answer.
 */
async function verifyUrl(
  log: string,
  options: Parameters<typeof replayLog>[1] & { readonly venue?: string | undefined },
): Promise<LogReport & { readonly compared: number }> {
  const { venue, ...rest } = options;
  const told = venue === undefined ? undefined : new ToldBlocks(createClient({ url: venue }).info);
  const report = await replayLog(log, { ...rest, onHead: (head) => told?.compare(head) });
  const finding = report.finding ?? (await told?.rest());
  const missing = told?.missing ?? 0;
  const forgotten = missing === 0 ? [] : [`${missing} blocks that ${venue} no longer lists`];
  return {
    ...report,
    finding,
    believed: [...report.believed, ...forgotten],
    compared: told?.compared ?? 0,
  };
}

const USAGE =
  'usage: oddlot verify <log-url> [--network <name>] [--former-name <name>]… [--genesis <hash>] [--from <height>] [--to <height>] [--venue <url>] [--json]';

/** Runs the command; what stands in its way is one line. */
export function runVerifyUrl(
  [log = '', ...args]: readonly string[],
  print: Print,
): Promise<number> {
  return runCheck({ args, print }, async () => {
    const asked = readQuestion(args, {
      network: { type: 'string' },
      'former-name': { type: 'string', multiple: true },
      genesis: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      venue: { type: 'string' },
      json: { type: 'boolean' },
    });
    const { from, genesis, json, network: serviceNetwork, to, venue } = asked;
    if (genesis !== undefined && !/^0x[0-9a-f]{64}$/.test(genesis)) {
      throw new CliError('usage', USAGE);
    }
    const first = from === undefined ? undefined : wholeNumber('--from', from);
    const last = to === undefined ? undefined : wholeNumber('--to', to);
    if (first !== undefined && last !== undefined && last < first) {
      throw new CliError('usage', `Nothing to compare: --to ${last} is before --from ${first}`);
    }
    const report = await verifyUrl(urlOf(log), {
      serviceNetwork,
      formerNames: asked['former-name'],
      genesis,
      from: first,
      to: last,
      venue: venue === undefined ? undefined : urlOf(venue),
    });
    print(
      json === true
        ? JSON.stringify({ ...report, finding: report.finding ?? null })
        : textOf(report),
    );
    return report.finding === undefined ? EXIT.done : EXIT.fault;
  });
}

function textOf(report: Awaited<ReturnType<typeof verifyUrl>>): string {
  const { believed, compared, counts, finding, hash, height } = report;
  const stands = finding === undefined ? 'verified' : 'NOT VALID';
  const at = finding?.command === undefined ? '' : `, command ${finding.command}`;
  return [
    `${stands}: ${counts.derived} requests checked up to block ${height}, hash ${hash}`,
    ...(finding === undefined ? [] : [`wrong     block ${finding.height}${at}: ${finding.what}`]),
    ...(compared === 0 ? [] : [`${compared} blocks match the venue's explorer`]),
    ...believed.map((each) => `believed  ${each}`),
  ].join('\n');
}
