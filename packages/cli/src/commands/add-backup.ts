import type { Command } from 'commander';
import { BackupError, backUpFolder, restoreFolder } from '@oddlot/replica/backup';
import { replayFolder } from '@oddlot/replica/replay-folder';
import { CliError } from '../cli-error.ts';
import { print, ProgressBar } from '../print.ts';
import type { GlobalOptions } from '../command-context.ts';
import { wholeNumber } from '../arguments.ts';

/**
 * Adds commands for backup, restore and replay of a venue's folder. The backup can be made while
 * the venue is running.
 */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .summary("Back up a venue's data folder, even while the venue is running")
    .description(
      'Copies the log and all other data that cannot be recomputed, and records checksums. ' +
        'If <to> contains an earlier backup of the same log, only new data is copied.',
    )
    .argument('<data>', "The venue's data folder")
    .argument('<to>', 'Backup folder')
    .action(async (data: string, to: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { others, manifest, copied } = await run((onProgress) =>
        backUpFolder({ data, to, nowMs: Date.now(), onProgress }),
      );
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      const lines = [
        `Backup ${to}: ${manifest.files.length} files, ${bytes} bytes; ${copied} new bytes copied`,
        ...(others.length === 0
          ? []
          : [
              `Not included: ${others.join(', ')}. Stop the programs that use these folders before you copy them.`,
            ]),
      ];
      print({ json: { ...manifest, copied, others }, lines }, options.json);
    });
  program
    .command('restore')
    .summary('Restore a data folder from a backup and verify every byte')
    .argument('<from>', 'Backup folder')
    .argument('<data>', 'New data folder; it must not exist yet')
    .action(async (from: string, data: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const manifest = await run((onProgress) => restoreFolder({ from, data, onProgress }));
      const made = new Date(manifest.madeMs).toISOString();
      const lines = [
        `Restored ${data} to its state at ${made}; later actions are not included`,
        `Start the venue with its own settings and --data ${data}`,
      ];
      print({ json: manifest, lines }, options.json);
    });
  program
    .command('replay')
    .summary('Replay the log of a data folder up to a block and show the state hash')
    .argument('<data>', 'Data folder; the venue may be running')
    .requiredOption('--to <height>', 'Height of the last block to replay')
    .action(async (data: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { to: string }>();
      const to = wholeNumber('--to', options.to);
      const replayed = await run((onProgress) =>
        replayFolder({ data, to, onProgress: (height) => onProgress(height, to) }),
      );
      if (replayed === undefined) {
        const why = 'The log ends earlier or is damaged; check it with `oddlot verify`.';
        throw new CliError('usage', `Cannot read the log in ${data} up to block ${to}. ${why}`);
      }
      const { hash, height, stateHash, timeMs } = replayed;
      const at = new Date(timeMs).toISOString();
      const lines = [`block ${height}, ${at}, hash ${hash}`, `state hash ${stateHash}`];
      print({ json: replayed, lines }, options.json);
    });
}

async function run<Result>(
  work: (onProgress: (bytes: number, of: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new ProgressBar(process.stderr);
  const isShown = process.stderr.isTTY === true;
  try {
    return await work((done, of) => {
      if (isShown) bar.show({ done, of, what: `${done} of ${of}` });
    });
  } catch (error) {
    if (error instanceof BackupError) throw new CliError('usage', error.message, { cause: error });
    throw error;
  } finally {
    if (isShown) bar.end();
  }
}

const OPERATIONS_DEFAULT = 'http://127.0.0.1:8692';
/** A large venue takes a while to write a snapshot. */
const ANSWER_MS_MAX = 600_000;

export function addSnapshot(program: Command): void {
  program
    .command('snapshot')
    .summary('Write a snapshot of a running venue now, to shorten its next start')
    .description(
      'Writes a snapshot immediately, for example before an upgrade or before you copy the ' +
        'data folder. The venue also writes snapshots regularly and when it stops. The ' +
        'request is sent to the operations port.',
    )
    .option('--operations <url>', "URL of the venue's operations port", OPERATIONS_DEFAULT)
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { operations: string }>();
      const { height } = await snapshotOf(options.operations);
      const lines = [`Newest snapshot: block ${height}`];
      print({ json: { height }, lines }, options.json);
    });
}

async function snapshotOf(operations: string): Promise<{ readonly height: number }> {
  if (!URL.canParse(operations))
    throw new CliError('usage', `Invalid --operations "${operations}". Use a URL.`);
  const response = await fetch(new URL('/snapshot', operations), {
    method: 'POST',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    throw new CliError('unreachable', `No response from ${operations}: ${why}`, { cause: error });
  });
  const body = await response.json().catch(() => ({}));
  const { height, message } = body as { readonly height?: number; readonly message?: string };
  if (response.status === 200 && height !== undefined) return { height };
  const why = message ?? `HTTP ${response.status}`;
  throw new CliError('refused', `No snapshot was written: ${why}`);
}
