import { readLogPage } from '@oddlot/venue/replay';
import type { LogPage, LogSource } from './log-source.ts';

/** A page is of a few MiB, but for a block that is larger than any other. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const WHY_CHARACTERS_MAX = 300;

/** The log that the operations port of a venue serves (`GET /log`). */
export class HttpLog implements LogSource {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async page(fromSeq: number, signal: AbortSignal): Promise<LogPage> {
    const response = await fetch(new URL(`/log?from=${fromSeq}`, this.#url), {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const body = await boundedBytes(response, PAGE_BYTES_MAX);
    if (response.status !== 200) {
      const why = body.toString('utf8', 0, WHY_CHARACTERS_MAX).trim();
      throw new Error(`${this.#url} gives no log: HTTP ${response.status} ${why}`);
    }
    const height = Number(response.headers.get('x-log-height'));
    const hash = response.headers.get('x-log-hash') ?? '';
    if (!Number.isSafeInteger(height) || !/^0x[0-9a-f]{64}$/.test(hash)) {
      throw new Error(`${this.#url} gives something else than a log`);
    }
    const entries = readLogPage(body, fromSeq);
    return { entries, head: { height, hash: hash as LogPage['head']['hash'] } };
  }
}

async function boundedBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
