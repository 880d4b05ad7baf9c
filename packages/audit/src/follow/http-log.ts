import { readLogPage } from '@oddlot/replica/log/log-reader';
import type { LogPage, LogSource } from './log-follower.ts';

/** A page is a few MiB, but one with a single very large block can be larger. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const WHY_CHARACTERS_MAX = 300;
/**
 * A status of at least this value means that the venue is busy or failing, not that it has no log.
 */
const BUSY_STATUS_MIN = 429;

export class NoLogError extends Error {
  override readonly name = 'NoLogError';
  /** True if there was no valid response; a later attempt may then succeed. */
  readonly isSilent: boolean;

  constructor(message: string, isSilent: boolean, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.isSilent = isSilent;
  }
}

/** Reads the log served by a venue's operations port (`GET /log`). */
export class HttpLog implements LogSource {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async page(fromSeq: number, signal: AbortSignal): Promise<LogPage> {
    const { body, headers, status } = await this.#get(fromSeq, signal);
    if (status !== 200) {
      const why = body.toString('utf8', 0, WHY_CHARACTERS_MAX).trim();
      const reason = `Cannot read the log at ${this.#url}: HTTP ${status} ${why}`;
      throw new NoLogError(reason, status >= BUSY_STATUS_MIN);
    }
    const height = Number(headers.get('x-log-height'));
    const hash = headers.get('x-log-hash') ?? '';
    const isLog = headers.has('x-log-height') && /^0x[0-9a-f]{64}$/.test(hash);
    if (!isLog || !Number.isSafeInteger(height)) {
      throw new NoLogError(`${this.#url} did not return a log`, false);
    }
    const entries = readLogPage(body, fromSeq);
    return { entries, head: { height, hash: hash as LogPage['head']['hash'] } };
  }

  async #get(
    fromSeq: number,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Buffer }> {
    try {
      const response = await fetch(new URL(`/log?from=${fromSeq}`, this.#url), {
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const body = await boundedBytes(response, PAGE_BYTES_MAX);
      return { status: response.status, headers: response.headers, body };
    } catch (error) {
      throw new NoLogError(`No response from ${this.#url}: ${causeOf(error)}`, true, error);
    }
  }
}

async function boundedBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new Error(`the response exceeds ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Returns why a fetch failed; the reason is in the error's cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
