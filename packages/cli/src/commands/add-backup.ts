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
    .summary('copies the log of a venue, also while it runs')
    .description(
      'Copies the log and what else cannot be computed again, with checksums. Into the folder of an earlier backup it copies what is new.',
    )
    .argument('<data>', 'the data folder of the venue')
    .argument('<to>', 'the folder of the backup')
    .action(async (data: string, to: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { others, manifest, copied } = await run((onProgress) =>
        backUpFolder({ data, to, nowMs: Date.now(), onProgress }),
      );
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      const lines = [
        `${to} has ${manifest.files.length} files, ${bytes} bytes; ${copied} bytes were copied`,
        ...others.map((name) => `not in it: ${name}, which is copied while its program is stopped`),
      ];
      print({ json: { ...manifest, copied, others }, lines }, options.json);
    });
  program
    .command('restore')
    .summary('makes a data folder of a backup, every byte compared')
    .argument('<from>', 'the folder of the backup')
    .argument('<data>', 'a folder that is not there')
    .action(async (from: string, data: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const manifest = await run((onProgress) => restoreFolder({ from, data, onProgress }));
      const made = new Date(manifest.madeMs).toISOString();
      const lines = [
        `${data} is as it was at ${made}; what was acknowledged after that is lost`,
        `start it: oddlot start --data ${data}`,
      ];
      print({ json: manifest, lines }, options.json);
    });
  program
    .command('replay')
    .summary('applies the log of a folder up to a block, and says what came out')
    .argument('<data>', 'a data folder, of a venue that may run')
    .requiredOption('--to <height>', 'the block')
    .action(async (data: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { to: string }>();
      const to = wholeNumber('--to', options.to);
      const replayed = await run((onProgress) =>
        replayFolder({ data, to, onProgress: (height) => onProgress(height, to) }),
      );
      if (replayed === undefined) {
        const why = 'it ends before, or is damaged: `oddlot verify` knows';
        throw new CliError('usage', `the log of ${data} can't be read up to block ${to}; ${why}`);
      }
      const { hash, height, stateHash, timeMs } = replayed;
      const at = new Date(timeMs).toISOString();
      const lines = [`block ${height} of ${at} ${hash}`, `state ${stateHash}`];
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
