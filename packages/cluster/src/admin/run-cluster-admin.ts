import { SettingError } from '@oddlot/host/settings';
import type { ClusterConfig } from '../cluster-settings.ts';
import { type AdminPlace, AdminRefusedError, openPlace } from './admin-place.ts';
import type { Progress } from './folder-copy.ts';
import { clusterReport } from './cluster-report.ts';
import { exportFolder, importFolder } from './folder-transfer.ts';
import { restoreFromCopy } from './restore-from-copy.ts';
import { randomUUID } from 'node:crypto';
import { assertFinished } from '../agree-on-stream.ts';
import {
  decodeBlockMessage,
  decodeOpening,
  encodeBlockMessage,
  OPENING_PLACE,
} from '../block-message.ts';
import { confirmedLastSeq } from '../stream-facts.ts';
import { retryUntilAnswered } from '../retry-until-answered.ts';
import { BlockBuffer } from '@oddlot/replica/log/block-codec';

type Terminal = { write(text: string): unknown };

type Environment = Readonly<Record<string, string | undefined>>;

type CommandContext = {
  readonly environment: Environment;
  /** Reads the venue's settings, which also apply to the cluster. */
  readonly readConfig: (args: readonly string[], env: Environment) => ClusterConfig;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
};

type Command = (place: AdminPlace, own: OwnFlags, onProgress: Progress) => Promise<string>;

type OwnFlags = { readonly giveUpFrom: number | undefined };

const COMMANDS: Readonly<Record<string, Command>> = {
  status: (place) => clusterReport(place),
  import: (place, _, onProgress) => importFolder(place, onProgress),
  export: (place, _, onProgress) => exportFolder(place, onProgress),
  'open-era': (place) => openEra(place),
  'keep-era': (place) => keepEra(place),
  restore: (place, { giveUpFrom }, onProgress) => restoreFromCopy(place, giveUpFrom, onProgress),
};

const HELP = `Administers the log of a cluster:

  npm run cluster-admin -- status    Show the replicas, their heights, whether their hashes agree, and the leases
  npm run cluster-admin -- import    Turn the log of a single-process venue in --data into the stream of a cluster
  npm run cluster-admin -- export    Turn the stream into a data folder in --data for a single-process venue
  npm run cluster-admin -- restore   Restore a stream that lost blocks from the copy in --data;
                                     add --give-up-from N if another replica reported more blocks
  npm run cluster-admin -- open-era  Activate the rules version of a newer release that is waiting
  npm run cluster-admin -- keep-era  Cancel the activation while the rules version is not yet active

Accepts the venue's settings (--log, --cluster, --data, --nats-user, …) from flags, environment or file.
Exit codes: 0 done, 1 rejected (with the reason), 2 usage error.
`;

export async function runClusterAdmin(
  args: readonly string[],
  { environment, readConfig, stderr, stdout }: CommandContext,
): Promise<number> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (name === '--help' || rest.includes('--help')) {
    stdout.write(HELP);
    return 0;
  }
  if (command === undefined) {
    const wrong = name === '' ? 'Missing command' : `Unknown command ${name}`;
    stderr.write(`${wrong}\n\n${HELP}`);
    return 2;
  }
  let place: AdminPlace | undefined;
  try {
    const { flags, own } = ownFlags(rest);
    const config = readConfig(flags, environment);
    place = await openPlace(config, { env: environment, isBegun: name === 'import' });
    stdout.write(`${await command(place, own, progressOn(stderr))}\n`);
    return 0;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof SettingError ? 2 : 1;
  } finally {
    await place?.close();
  }
}

const GIVE_UP = '--give-up-from';

function ownFlags(args: readonly string[]): { flags: string[]; own: OwnFlags } {
  const at = args.indexOf(GIVE_UP);
  if (at < 0) return { flags: [...args], own: { giveUpFrom: undefined } };
  const giveUpFrom = Number(args[at + 1]);
  if (!Number.isSafeInteger(giveUpFrom) || giveUpFrom < 1) {
    throw new SettingError(`Invalid ${GIVE_UP}. Use a block height, such as ${GIVE_UP} 1200`);
  }
  return { flags: args.toSpliced(at, 2), own: { giveUpFrom } };
}

const LINE_PERCENT = 10;

/** Prints a line for every tenth of the progress. */
function progressOn(out: Terminal): Progress {
  let last = '';
  return (what, seq, of) => {
    const percent = of === 0 ? 100 : Math.floor((100 * seq) / of);
    const line = `${what} ${percent - (percent % LINE_PERCENT)}%`;
    if (line === last) return;
    last = line;
    out.write(`${line} (block ${seq} of ${of})\n`);
  };
}

/**
 * Announces the era that replicas on a newer release are waiting for. Replicas on older releases
 * then stop accepting orders.
 */
async function openEra(place: AdminPlace): Promise<string> {
  const waiting = place.board.present.filter(({ isWaiting }) => isWaiting === true);
  const rules = Math.max(0, ...waiting.map((each) => each.rules));
  if (rules === 0) {
    throw new AdminRefusedError(
      'No replica is waiting for a new rules version. Start the new release first',
    );
  }
  await announce(place, rules);
  const names = waiting.map(({ replica }) => replica).join(', ');
  return (
    `rules version ${rules} announced: replicas with earlier rules stop accepting ` +
    `orders, and ${names} will activate it`
  );
}

async function keepEra(place: AdminPlace): Promise<string> {
  await announce(place, 0);
  return 'announcement withdrawn: replicas with the current rules accept orders again';
}

async function announce({ cluster, stream }: AdminPlace, rules: number): Promise<void> {
  const { lastPlace } = await retryUntilAnswered(() => stream.end());
  if (lastPlace === 0) throw new AdminRefusedError(`The stream of ${cluster} is empty`);
  const found = await retryUntilAnswered(() => stream.at(OPENING_PLACE));
  const opening = found && decodeOpening(found);
  if (opening !== undefined) assertFinished(opening, await confirmedLastSeq(stream, opening));
  const buffer = new BlockBuffer();
  const proposal = `${randomUUID()}:1`;
  buffer.writeBlock([{ command: { type: 'announceEra', rules } }], proposal);
  const last = await retryUntilAnswered(() => stream.at(lastPlace));
  // The block has the time of the previous one, because the clock on an operator's machine must not
  // affect the log.
  const timeMs =
    last === undefined || lastPlace === OPENING_PLACE ? 0 : decodeBlockMessage(last).timeMs;
  const data = encodeBlockMessage(timeMs, buffer.bytes.subarray(0, buffer.length));
  await retryUntilAnswered(() => stream.publish(proposal, { data }));
}
