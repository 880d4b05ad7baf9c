import { join } from 'node:path';
import { inDirectory } from '@oddlot/testing/host';
import { hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import type { LogEntry } from '@oddlot/replica/block';
import { FileJournal } from '@oddlot/replica/log/file-journal';
import { readLogPage } from '@oddlot/replica/log/log-reader';
import { LogPages } from './operations-endpoints.ts';

/** Creates a log whose blocks contain one request each, and serves it in pages. */

const HASH = hash(`0x${'ab'.repeat(32)}`);
const REQUEST = 'x'.repeat(60_000);

async function withLog(
  blocks: number,
  run: (pages: LogPages, journal: FileJournal) => Promise<void>,
): Promise<void> {
  await inDirectory(async (data) => {
    const directory = join(data, 'journal');
    const clock = { nowMs: () => 1_800_000_000_000 };
    const journal = await FileJournal.open({ directory, clock, segmentBytes: 1_000_000 });
    for (let seq = 1; seq <= blocks; seq++) await append(journal, seq);
    const head = () => ({ height: journal.lastSeq, hash: HASH, timeMs: 0, stateHash: HASH });
    const pages = new LogPages({ data, firstSeq: () => journal.firstSeq, head });
    await run(pages, journal);
    await pages.close();
    await journal.close();
  });
}

function append(journal: FileJournal, seq: number): Promise<LogEntry> {
  const command = { type: 'attest', height: seq, hash: HASH } as const;
  return journal.append([{ command, request: `${seq} ${REQUEST}` }]);
}

async function pageFrom(pages: LogPages, from: number): Promise<readonly LogEntry[]> {
  const { body, headers, status } = await pages.answer(new URLSearchParams({ from: String(from) }));
  expect([status, headers['x-log-hash']]).toEqual([200, HASH]);
  return readLogPage(body as Buffer, from);
}

test('pages of the log are bounded in size and contain every block once with its request', async () => {
  await withLog(100, async (pages, journal) => {
    const seen: number[] = [];
    let count = 0;
    for (let from = 1; from <= 100; count++) {
      const entries = await pageFrom(pages, from);
      expect(entries.length).toBeLessThan(40);
      for (const { commands, seq } of entries) {
        expect(commands[0]?.request?.startsWith(`${seq} x`)).toBe(true);
        seen.push(seq);
      }
      from += entries.length;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(count).toBeGreaterThan(2);
    // A follower at the end of the log gets an empty page at first, and later the blocks appended
    // since.
    expect(await pageFrom(pages, 101)).toEqual([]);
    await append(journal, 101);
    expect((await pageFrom(pages, 101)).map(({ seq }) => seq)).toEqual([101]);
    // A client can begin at any block, even where another client is currently reading.
    expect((await pageFrom(pages, 50))[0]?.seq).toBe(50);
    expect((await pageFrom(pages, 50))[0]?.seq).toBe(50);
  });
});

test('a request for log pages is refused with a reason: an invalid block number, a deleted block, too many readers, or a stopping venue', async () => {
  await withLog(20, async (pages) => {
    const asked = async (query: Record<string, string>) => {
      const { body, headers, status } = await pages.answer(new URLSearchParams(query));
      return [status, String(body), headers['retry-after']];
    };
    for (const query of [{}, { from: '0' }, { from: '-1' }, { from: '1.5' }, { from: 'all' }]) {
      expect(await asked(query as Record<string, string>)).toEqual([
        400,
        '{"message":"from: must be the height of a block, at least 1"}\n',
        undefined,
      ]);
    }
    const answers = await Promise.all(Array.from({ length: 6 }, () => asked({ from: '1' })));
    expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(answers[5]).toEqual([
      429,
      '{"message":"too many concurrent requests for log pages"}\n',
      '1',
    ]);
    await pages.close();
    expect((await asked({ from: '1' }))[0]).toBe(503);
  });
  const pruned = new LogPages({
    data: '/nowhere',
    firstSeq: () => 12,
    head: () => ({ height: 20, hash: HASH, timeMs: 0, stateHash: HASH }),
  });
  const { body, status } = await pruned.answer(new URLSearchParams({ from: '11' }));
  expect([status, String(body)]).toEqual([410, expect.stringContaining('begins at block 12')]);
});

test('a truncated page cannot be read', async () => {
  await withLog(2, async (pages) => {
    const { body } = await pages.answer(new URLSearchParams({ from: '1' }));
    for (const length of [1, 11, 12, 500]) {
      expect(() => readLogPage((body as Buffer).subarray(0, length), 1)).toThrow(
        /ends in the middle/,
      );
    }
  });
});
