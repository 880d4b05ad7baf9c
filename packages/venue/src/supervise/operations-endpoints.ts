import { join } from 'node:path';
import type { OperationsDownload } from '@oddlot/host/health';
import type { BlockHead } from '@oddlot/replica/block';
import { LogReader } from '@oddlot/replica/log/log-reader';
import type { Indexer } from '@oddlot/history/indexer/indexer';

type LogPagesOptions = {
  /** The data folder. */
  readonly data: string;
  /** The oldest block that the log still has. */
  readonly firstSeq: () => number;
  /** The newest block that is applied; its hash goes along, for who follows to compare. */
  readonly head: () => BlockHead;
};

/** Who follows at the same time, each with a file open where it stands; one more takes the place of who asked longest ago. */
const READERS_MAX = 8;
/** Pages that are read at the same time. */
const AT_ONCE_MAX = 4;
const RETRY_AFTER_S = 1;

/**
 * `GET /log?from=NUMBER` of the operations port: the log as it stands on disk, in pages, for validators that believe
 * nobody. Nothing can be changed through it. It has all that was ever signed, access codes included, which is why it is not on the public port.
 */
export class LogPages {
  readonly #options: LogPagesOptions;
  /** By who asked longest ago. */
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
      return refusal(429, 'too many concurrent requests for pages', {
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

  /** Those who are being answered get their page. */
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

  /** One that stands there, which nobody else has meanwhile, or a new one. */
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
 * `POST /snapshot` of the operations port: writes a snapshot of this moment and says of which block the newest one is, so that
 * the next start has little to replay. Nothing but that file changes.
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
