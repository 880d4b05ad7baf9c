import { KeyError } from '@oddlot/custody/key-error';
import { SendsDamagedError } from '@oddlot/custody/send-journal';
import { ChainDamagedError } from '@oddlot/devchain';
import { ClockBehindError } from '@oddlot/host/clock';
import { DirectoryLockedError } from '@oddlot/host/directory-lock';
import { JournalFullError, SecretFileError } from '@oddlot/host/durable';
import { PortError } from '@oddlot/host/ports';
import { SettingError } from '@oddlot/host/settings';
import { HistoryUnusableError } from '@oddlot/history/history';
import {
  NameTakenError,
  ForeignStreamError,
  StreamBeginsLaterError,
  StreamForkedError,
  StreamLostError,
  StreamUnfinishedError,
  WeakStreamError,
} from '@oddlot/cluster/stream-error';
import { ServiceNamesDamagedError } from '@oddlot/replica/log/data-folder';
import {
  EarlierReleaseError,
  JournalDamagedError,
  JournalFormatError,
} from '@oddlot/replica/log/log';
import {
  EraStartError,
  LaterReleaseError,
  LogBehindError,
  ReplicaDivergedError,
} from '@oddlot/replica/replica';

/** For these errors, the message alone is clear enough for an operator. */
const EXPLAINED = [
  ChainDamagedError,
  ClockBehindError,
  SettingError,
  DirectoryLockedError,
  EarlierReleaseError,
  EraStartError,
  ForeignStreamError,
  HistoryUnusableError,
  JournalDamagedError,
  JournalFormatError,
  JournalFullError,
  KeyError,
  LaterReleaseError,
  LogBehindError,
  NameTakenError,
  PortError,
  ReplicaDivergedError,
  SecretFileError,
  SendsDamagedError,
  ServiceNamesDamagedError,
  StreamBeginsLaterError,
  StreamForkedError,
  StreamLostError,
  StreamUnfinishedError,
  WeakStreamError,
];

/** Explanations for operators, by the system's error code. */
const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'the process has no write permission there',
  EPERM: 'the process has no write permission there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'part of the path is a file',
  ENOENT: 'the path cannot be created',
  EMFILE: 'too many open files; raise the limit of file descriptors',
};

/** SQLite's result codes are listed at https://sqlite.org/rescode.html. */
const SQLITE_TEXTS: Readonly<Record<number, string>> = {
  5: 'another process has it open',
  8: 'the process has no write permission there',
  13: 'the disk is full',
  14: 'the process has no write permission there',
};

/**
 * Returns one line explaining a failed startup that an operator can resolve, or undefined for an
 * internal error, which is logged with its stack.
 */
export function explainStartFailure(
  error: unknown,
  { data }: { readonly data: string },
): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (EXPLAINED.some((kind) => error instanceof kind)) return error.message;
  const found = systemErrorOf(error);
  if (found === undefined) return undefined;
  // The system's own message contains the address.
  if (found.code === 'EADDRINUSE' || found.code === 'EADDRNOTAVAIL') return found.message;
  const sqlite = 'errcode' in found ? SQLITE_TEXTS[Number(found.errcode) & 0xff] : undefined;
  const why = sqlite ?? SYSTEM_TEXTS[found.code];
  if (why === undefined) return undefined;
  return `The data folder ${data} cannot be used: ${why} (${found.message})`;
}

/** Returns the system error in the chain of causes, starting with the error itself. */
function systemErrorOf(error: Error): (Error & { readonly code: string }) | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') {
      return each as Error & { readonly code: string };
    }
  }
  return undefined;
}
