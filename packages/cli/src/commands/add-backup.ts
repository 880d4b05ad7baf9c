import type { Command } from 'commander';
import { BackupError, backUpFolder, replayFolder, restoreFolder } from '@oddlot/venue';
import { CliError } from '../cli-error.ts';
import { print } from '../print.ts';
import { ProgressBar } from '../progress-bar.ts';
import type { GlobalOptions } from '../surroundings.ts';
import { wholeNumber } from '../whole-number.ts';

/** The folder of a venue, copied while it runs, put back, and replayed. */
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
