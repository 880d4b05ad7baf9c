import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inDirectory } from '@oddlot/testing/host';
import { expect, test, vi } from 'vitest';
import { JournalFailedError, JournalPrunedError } from './log.ts';
import type { LogEntry } from '../block.ts';
import { block, openJournal, readAll, segmentPaths } from '@oddlot/testing/venue/journal';

test('entries are read back as they were written, with the requests byte for byte', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    const request = '{"text":"snowman \u2603, emoji \u{1f600}, quote \\""}';
    await journal.append(block(1, request));
    await journal.append([...block(2), ...block(3, ''), ...block(4, 'x')]);
    await journal.append([]);
    await journal.close();

    const again = await openJournal(directory);
    expect(again.lastSeq).toBe(3);
    expect(again.repaired).toBeUndefined();
    const entries = await readAll(again);
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3]);
    expect(entries.map((entry) => entry.commands)).toEqual([
      block(1, request),
      [...block(2), ...block(3, ''), ...block(4, 'x')],
      [],
    ]);
    await again.close();
  }));

test('a replay omits the requests unless the caller asks for them', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    await journal.append([...block(1, 'a'), ...block(2)]);
    const entries: LogEntry[] = [];
    await journal.replay(1, (entry) => entries.push(entry));
    expect(entries.map((entry) => entry.commands)).toEqual([[...block(1), ...block(2)]]);
    await journal.close();
  }));

test('blocks queued during a write share the next write and sync', () =>
  inDirectory(async (directory) => {
    let writes = 0;
    let syncs = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const journal = await openJournal(directory, {
      faults: {
        beforeWrite: () => void (writes += 1),
        beforeSync: () => {
          syncs += 1;
          return syncs === 1 ? held : undefined;
        },
      },
    });
    const first = [journal.append(block(1)), journal.append(block(2))];
    await vi.waitFor(() => expect(syncs).toBe(1), { timeout: 60_000 });
    const rest = Array.from({ length: 100 }, (_, index) => journal.append(block(3 + index)));
    expect(journal.lastSeq).toBe(0);
    release();
    const entries = await Promise.all([...first, ...rest]);
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    expect({ writes, syncs }).toEqual({ writes: 2, syncs: 2 });
    await journal.close();
  }));

test('the follower receives each entry in order, after it is synced and before its append resolves', () =>
  inDirectory(async (directory) => {
    const happened: string[] = [];
    const journal = await openJournal(directory, {
      faults: { beforeSync: () => void happened.push('sync') },
    });
    await journal.follow(1, (entry) => happened.push(`apply ${entry.seq}`));
    const appends = [1, 2, 3].map(async (amount) => {
      const entry = await journal.append(block(amount));
      happened.push(`resolved ${entry.seq}`);
    });
    await Promise.all(appends);
    const applied = ['apply 1', 'apply 2', 'apply 3'];
    const resolved = ['resolved 1', 'resolved 2', 'resolved 3'];
    expect(happened).toEqual(['sync', ...applied, ...resolved]);
    await journal.close();
  }));

test('a follower receives existing and newly appended entries, each once and in order', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory, { segmentBytes: 5_000 });
    for (let amount = 1; amount <= 40; amount += 1) await journal.append(block(amount));
    const seqs: number[] = [];
    const appends: Promise<LogEntry>[] = [];
    await journal.follow(11, (entry) => {
      seqs.push(entry.seq);
      // Blocks are appended during the replay, and again while those blocks are being read.
      if (seqs.length <= 50) appends.push(journal.append(block(entry.seq)));
    });
    const caughtUp = seqs.length;
    await vi.waitFor(() => expect(seqs).toHaveLength(80), { timeout: 60_000 });
    await Promise.all(appends);
    expect(caughtUp).toBeGreaterThanOrEqual(30);
    expect(seqs).toEqual(Array.from({ length: 80 }, (_, index) => 11 + index));
    await expect(journal.follow(1, () => {})).rejects.toThrow('one follower');
    await journal.close();
  }));

test('log time does not go back when the clock is set back, even across a restart', () =>
  inDirectory(async (directory) => {
    let nowMs = 1_000;
    const clock = { nowMs: () => nowMs };
    const journal = await openJournal(directory, { clock });
    const times: number[] = [];
    for (const now of [1_000, 2_000, 1_500, 2_001]) {
      nowMs = now;
      times.push((await journal.append([])).timeMs);
    }
    await journal.close();
    nowMs = 5;
    const again = await openJournal(directory, { clock });
    expect(again.lastTimeMs).toBe(2_001);
    times.push((await again.append([])).timeMs);
    expect(times).toEqual([1_000, 2_000, 2_000, 2_001, 2_001]);
    await again.close();
  }));

test('a failed sync ends the journal permanently and is not retried', () =>
  inDirectory(async (directory) => {
    let syncs = 0;
    const fatal: Error[] = [];
    const applied: number[] = [];
    const journal = await openJournal(directory, {
      onFatal: (error) => fatal.push(error),
      faults: {
        beforeSync: () => {
          syncs += 1;
          if (syncs === 2) throw new Error('EIO');
        },
      },
    });
    await journal.follow(1, (entry) => applied.push(entry.seq));
    await journal.append(block(1));
    const results = await Promise.allSettled([journal.append(block(2)), journal.append(block(3))]);
    const later = await Promise.allSettled([journal.append(block(4))]);
    for (const result of [...results, ...later]) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(JournalFailedError) });
    }
    expect({ syncs, applied, lastSeq: journal.lastSeq }).toEqual({
      syncs: 2,
      applied: [1],
      lastSeq: 1,
    });
    expect(fatal).toHaveLength(1);
    expect(fatal[0]).toMatchObject({ cause: { message: 'EIO' } });
    await journal.close();

    const again = await openJournal(directory);
    expect((await readAll(again)).slice(0, 1)).toMatchObject([{ seq: 1, commands: block(1) }]);
    await again.close();
  }));

test('a follower that throws ends the journal, and no later block is acknowledged', () =>
  inDirectory(async (directory) => {
    const fatal: Error[] = [];
    const journal = await openJournal(directory, { onFatal: (error) => fatal.push(error) });
    const applied: number[] = [];
    await journal.follow(1, (entry) => {
      if (entry.seq === 2) throw new Error('broken invariant');
      applied.push(entry.seq);
    });
    const results = await Promise.allSettled([1, 2, 3].map((n) => journal.append(block(n))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(journal.append(block(4))).rejects.toThrow('broken invariant');
    expect(applied).toEqual([1]);
    expect(fatal).toHaveLength(1);
    await journal.close();
  }));

test('a block that cannot be encoded is refused without affecting any other block', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    const [good] = block(1);
    const bad = { command: { ...good?.command, amountMicroUsdc: 1n } } as never;
    const results = await Promise.allSettled([
      journal.append(block(1)),
      journal.append([...block(2), bad]),
      journal.append(block(3)),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const entries = await readAll(journal);
    expect(entries.map((entry) => entry.commands)).toEqual([block(1), block(3)]);
    await journal.close();
    await expect(journal.append(block(4))).rejects.toThrow('closed');
  }));

test('the journal is split into segments; a replay reads all of them, and pruning removes whole segments', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory, { segmentBytes: 5_000 });
    for (let amount = 1; amount <= 60; amount += 1) await journal.append(block(amount));
    const paths = await segmentPaths(directory);
    expect(paths.length).toBeGreaterThan(5);
    expect((await readAll(journal)).map((entry) => entry.seq)).toHaveLength(60);
    expect((await readAll(journal, 42)).map((entry) => entry.seq)[0]).toBe(42);
    expect(await readAll(journal, 61)).toEqual([]);

    await journal.compact({ belowSeq: 30, dropBeforeMs: Infinity });
    const { firstSeq } = journal;
    expect(firstSeq).toBeGreaterThan(20);
    expect(firstSeq).toBeLessThanOrEqual(30);
    await expect(readAll(journal, 1)).rejects.toThrow(JournalPrunedError);
    expect(await readAll(journal, firstSeq)).toHaveLength(61 - firstSeq);
    await journal.compact({ belowSeq: 1_000_000, dropBeforeMs: Infinity });
    expect(await segmentPaths(directory)).toHaveLength(1);
    await journal.close();

    const again = await openJournal(directory, { segmentBytes: 5_000 });
    expect(again.lastSeq).toBe(60);
    expect((await again.append(block(61))).seq).toBe(61);
    await again.close();
  }));

test('a block larger than a segment and larger than one read is stored in full', () =>
  inDirectory(async (directory) => {
    const journal = await openJournal(directory);
    const large = 'r'.repeat(5 * 1024 * 1024);
    await journal.append(block(1));
    await journal.append(block(2, large));
    await journal.append(block(3));
    await journal.close();
    const again = await openJournal(directory);
    const entries = await readAll(again);
    expect(entries.map((entry) => entry.commands[0]?.request?.length)).toEqual([
      undefined,
      large.length,
      undefined,
    ]);
    await again.close();
  }));

test('a journal can be opened many times, with and without appends', () =>
  inDirectory(async (directory) => {
    for (let round = 0; round < 12; round += 1) {
      const journal = await openJournal(directory, { segmentBytes: 6_000 });
      expect(journal.repaired).toBeUndefined();
      for (let n = 0; n < round % 4; n += 1) {
        await Promise.all([journal.append(block(n)), journal.append(block(n))]);
      }
      expect(await readAll(journal)).toHaveLength(journal.lastSeq);
      await journal.close();
    }
  }));

test('all acknowledged entries are still present after a SIGKILL', () =>
  inDirectory(async (directory) => {
    const journalUrl = new URL('./file-journal.ts', import.meta.url).href;
    const program = `
      import { FileJournal } from ${JSON.stringify(journalUrl)};
      const clock = { nowMs: () => Date.now() };
      const directory = ${JSON.stringify(directory)};
      const journal = await FileJournal.open({ directory, clock, segmentBytes: 200_000 });
      for (let n = 1; ; n += 1) {
        const command = { type: 'creditFaucet', amountMicroUsdc: n };
        journal.append([{ command }]).then((entry) => console.log(entry.seq));
        if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 3_000) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const journal = await openJournal(directory);
    expect(acknowledged).toBeGreaterThanOrEqual(3_000);
    expect(journal.lastSeq).toBeGreaterThanOrEqual(acknowledged);
    const entries = await readAll(journal);
    expect(entries.map((entry) => entry.commands[0]?.command)).toEqual(
      entries.map((_, index) => ({ type: 'creditFaucet', amountMicroUsdc: index + 1 })),
    );
    await journal.close();
  }));
