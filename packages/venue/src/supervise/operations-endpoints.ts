import { join } from 'node:path';
import type { OperationsDownload } from '@oddlot/host/health';
import type { BlockHead } from '@oddlot/replica/block';
import { LogReader } from '@oddlot/replica/log/log-reader';
import type { Indexer } from '@oddlot/history/indexer/indexer';

type LogPagesOptions = {
  readonly data: string;
  readonly firstSeq: () => number;
  /** Returns the newest applied block. Responses include its hash for comparison. */
  readonly head: () => BlockHead;
};

/**
 * The maximum number of readers with an open file. An additional reader replaces the one that has
 * been idle the longest.
 */
const READERS_MAX = 8;
/** The maximum number of pages read at the same time. */
const AT_ONCE_MAX = 4;
const RETRY_AFTER_S = 1;

/**
 * Handles `GET /log?from=NUMBER` of the operations port, which serves the log on disk in pages for
 * independent validators. Access is read-only. The log contains everything that was ever signed,
 * including access codes, and is therefore not served on the public port.
 */
export class LogPages {
  readonly #options: LogPagesOptions;
  /** The readers are ordered by their last request, oldest first. */
  readonly #readers = new Set<LogReader>();
  #open = 0;
  #isClosed = false;

  constructor(options: LogPagesOptions) {
    this.#options = options;
  }

  readonly answer: OperationsDownload = async (query) => {
    const from = Number(query.get('from'));
    if (!Number.isSafeInteger(from) || from < 1) {
      return refusal(400, 'from: must be the height of a block, at least 1');
    }
    if (this.#isClosed) return refusal(503, 'the venue is stopping');
    const firstSeq = this.#options.firstSeq();
    if (from < firstSeq) {
      return refusal(
        410,
        `the log begins at block ${firstSeq}: older blocks were removed (logKeep)`,
      );
    }
    if (this.#open >= AT_ONCE_MAX) {
      return refusal(429, 'too many concurrent requests for log pages', {
        'retry-after': String(RETRY_AFTER_S),
      });
    }
    this.#open++;
    try {
      const { hash, height } = this.#options.head();
      const body = from > height ? Buffer.alloc(0) : await this.#page(from, height);
      const headers = {
        'content-type': 'application/octet-stream',
        'x-log-first': String(firstSeq),
        'x-log-height': String(height),
        'x-log-hash': hash,
      };
      return { status: 200, headers, body };
    } finally {
      this.#open--;
    }
  };

  /** Rejects new requests and completes the pending ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#forget(0);
  }

  async #page(from: number, height: number): Promise<Buffer> {
    const reader = this.#take(from);
    try {
      const page = await reader.page(height);
      this.#readers.add(reader);
      await this.#forget(this.#isClosed ? 0 : READERS_MAX);
      return page;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /** Returns an idle reader at that position, or a new one. */
  #take(from: number): LogReader {
    const found = [...this.#readers].find(({ nextSeq }) => nextSeq === from);
    if (found === undefined) return new LogReader(join(this.#options.data, 'journal'), from);
    this.#readers.delete(found);
    return found;
  }

  async #forget(readersMax: number): Promise<void> {
    const surplus = [...this.#readers].slice(0, Math.max(0, this.#readers.size - readersMax));
    for (const reader of surplus) this.#readers.delete(reader);
    await Promise.all(surplus.map((reader) => reader.close()));
  }
}

function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Awaited<ReturnType<OperationsDownload>> {
  const body = `${JSON.stringify({ message })}\n`;
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

const HTTP_UNAVAILABLE = 503;

/**
 * Handles `POST /snapshot` of the operations port: writes a snapshot of the current state, so that
 * there is little to replay on the next startup, and returns the height of the newest snapshot.
 */
export async function snapshotNow(
  indexer: Pick<Indexer, 'snapshot'>,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    return { status: 200, body: `${JSON.stringify({ height: await indexer.snapshot() })}\n` };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: HTTP_UNAVAILABLE, body: `${JSON.stringify({ message })}\n` };
  }
}
