import { HttpLog, NoLogError } from '@oddlot/audit/http-log';
import {
  type LogReport,
  LogTooShortError,
  verifyLog,
  type VerifyLogOptions,
} from '@oddlot/audit/verify-log';
import { CliError } from '../cli-error.ts';
import { ProgressBar, type Terminal } from '../progress-bar.ts';

/** Replays the log of a venue with an engine of its own, and shows how far it is. */
export async function replayLog(
  url: string,
  options: Omit<VerifyLogOptions, 'now' | 'onProgress' | 'source'>,
  terminal: Terminal = process.stderr,
): Promise<LogReport> {
  const bar = new ProgressBar(terminal);
  const isShown = terminal.isTTY === true;
  try {
    return await verifyLog({
      ...options,
      source: new HttpLog(url),
      now: () => Date.now(),
      onProgress: (done, of) => {
        if (isShown) bar.show({ done, of, what: `block ${done} of ${of}` });
      },
    });
  } catch (error) {
    if (error instanceof NoLogError) {
      const kind = error.isSilent ? 'unreachable' : 'usage';
      throw new CliError(kind, error.isSilent ? error.message : hinted(error.message), {
        cause: error,
      });
    }
    if (error instanceof LogTooShortError || (error as Error).name === 'NotYetError') {
      throw new CliError('usage', (error as Error).message, { cause: error });
    }
    throw error;
  } finally {
    if (isShown) bar.end();
  }
}

function hinted(message: string): string {
  return `${message} (a venue serves its log on its operations port with --serve-log)`;
}
