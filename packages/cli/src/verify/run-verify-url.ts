import type { LogReport } from '@oddlot/audit/verify-log';
import { type BlockRow, type Client, createClient } from '@oddlot/sdk';
import { CliError, EXIT } from '../cli-error.ts';
import { wholeNumber } from '../arguments.ts';
import { type Print, readCheckOptions, replayLog, runCheck, urlOf } from './run-check.ts';

/**
 * Replays the whole log of a running venue and verifies it independently:
 *
 * `oddlot verify http://127.0.0.1:8692 [--network NAME] [--venue http://127.0.0.1:8690]`
 *
 * The command exits with 0 if all blocks are valid, with 1 after a finding, with 2 for wrong usage
 * or a missing log, and with 4 if the venue does not respond.
 */
async function verifyUrl(
  log: string,
  options: Parameters<typeof replayLog>[1] & { readonly venue?: string | undefined },
): Promise<LogReport & { readonly compared: number }> {
  const { venue, ...rest } = options;
  const reported =
    venue === undefined ? undefined : new ReportedBlocks(createClient({ url: venue }).info);
  const report = await replayLog(log, { ...rest, onHead: (head) => reported?.compare(head) });
  const finding = report.finding ?? (await reported?.rest());
  const missing = reported?.missing ?? 0;
  const forgotten = missing === 0 ? [] : [`${missing} blocks: no longer listed by ${venue}`];
  return {
    ...report,
    finding,
    believed: [...report.believed, ...forgotten],
    compared: reported?.compared ?? 0,
  };
}

const USAGE =
  'usage: oddlot verify <log-url> [--network <name>] [--former-name <name>]… [--genesis <hash>] [--from <height>] [--to <height>] [--venue <url>] [--json]';

export function runVerifyUrl(
  [log = '', ...args]: readonly string[],
  print: Print,
): Promise<number> {
  return runCheck({ args, print }, async () => {
    const asked = readCheckOptions(args, {
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
      throw new CliError('usage', `--to ${last} is before --from ${first}. Use a later --to`);
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
  const verdict = finding === undefined ? 'verified' : 'NOT VALID';
  const at = finding?.command === undefined ? '' : `, command ${finding.command}`;
  return [
    `${verdict}: ${counts.derived} requests checked up to block ${height}, hash ${hash}`,
    ...(finding === undefined ? [] : [`invalid     block ${finding.height}${at}: ${finding.what}`]),
    ...(compared === 0 ? [] : [`${compared} blocks match the venue's explorer`]),
    ...believed.map((each) => `unverified  ${each}`),
  ].join('\n');
}

type Head = Pick<BlockRow, 'hash' | 'height' | 'stateHash'>;

/** The number of blocks requested from a venue at once. */
const AT_ONCE = 100;

/** Compares the blocks that a venue publishes with the replayed ones. */
class ReportedBlocks {
  readonly #info: Pick<Client['info'], 'blocks'>;
  #own: Head[] = [];
  compared = 0;
  /** The number of blocks that the venue does not list because its history was pruned. */
  missing = 0;

  constructor(info: Pick<Client['info'], 'blocks'>) {
    this.#info = info;
  }

  /** Adds a block, and requests a page when enough blocks have been collected. */
  compare({ hash, height, stateHash }: Head): Promise<LogReport['finding']> | undefined {
    this.#own.push({ hash, height, stateHash });
    return this.#own.length < AT_ONCE ? undefined : this.rest();
  }

  async rest(): Promise<LogReport['finding']> {
    const own = this.#own;
    this.#own = [];
    const last = own.at(-1);
    if (last === undefined) return undefined;
    const rows = await this.#info.blocks({ before: last.height + 1, limit: own.length });
    const reported = new Map(rows.map((row) => [row.height, row]));
    for (const { hash, height, stateHash } of own) {
      const row = reported.get(height);
      if (row === undefined) this.missing++;
      else if (row.hash !== hash) return differs(height, 'hash', hash, row.hash);
      else if (row.stateHash !== stateHash) {
        return differs(height, 'state', stateHash, row.stateHash);
      } else this.compared++;
    }
    return undefined;
  }
}

function differs(
  height: number,
  part: string,
  own: string,
  reported: string,
): LogReport['finding'] {
  return { height, what: `its ${part} is ${own} here, but the venue reports ${reported}` };
}
