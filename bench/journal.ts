import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  write,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockBuffer } from '../packages/replica/src/log/block-codec.ts';
import { FileJournal } from '../packages/replica/src/log/file-journal.ts';
import { RECORD_HEADER_BYTES } from '../packages/replica/src/log/journal-format.ts';
import type { AppliedBlock, LoggedCommand } from '../packages/replica/src/block.ts';
import { Proposer } from '../packages/replica/src/proposer.ts';
import { createEngineFlow } from './engine-flow.ts';
import {
  atLeast,
  median,
  medianRatio,
  noted,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Measures commits of the journal, compared with `write` and `fdatasync` of the same number of
 * bytes into a preallocated file. These writes run once blocking, which shows the limit of the
 * disk, and once in the thread pool, which shows the limit of a serving process. Times are
 * wall-clock times, because the disk dominates them. As under load, commands pass through a
 * proposer: one block is written while the next one waits and the follower processes the previous
 * one. Commands arrive with their bytes, as they do from a signature recovery thread. Commands
 * proposed in the same turn of the event loop share a block, and the row gives the number of
 * commands per block.
 */

const TARGET = 0.8;
/** The number of commands per sync: a single command, and a group. */
const BATCHES = [1, 100] as const;
/** The length of a signed single-order request, which the journal stores along with its command. */
const REQUEST_BYTES = 330;

export async function journalSection(scale: Scale): Promise<readonly Row[]> {
  const commits = sized(scale, { full: 200, quick: 60, tiny: 3 });
  const rounds = sized(scale, { full: 11, quick: 5, tiny: 2 });
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const rows: Row[] = [];
    for (const batch of BATCHES)
      rows.push(...(await compare(directory, { batch, commits, rounds })));
    return rows;
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function compare(
  root: string,
  { batch, commits, rounds }: { batch: number; commits: number; rounds: number },
): Promise<Row[]> {
  const block = blockOf(batch);
  const journal = await FileJournal.open({
    directory: join(root, `batch-${batch}`),
    clock: { nowMs: () => Date.now() },
  });
  const proposer = await openProposer(journal);
  const bytes = bytesOf(block);
  const raw = new RawFile(join(root, `raw-${batch}`), bytes, 2 * commits * (rounds + 1));
  const busy: number[] = [];
  const blocking: number[] = [];
  const pooled: number[] = [];
  const startSeq = journal.lastSeq;
  for (let round = 0; round <= rounds; round++) {
    const busyMs = await wallMs(() => proposeBusily(proposer, block, commits));
    const blockingMs = await wallMs(async () => {
      for (let count = 0; count < commits; count++) raw.commit();
    });
    const pooledMs = await wallMs(async () => {
      for (let count = 0; count < commits; count++) await raw.commitPooled();
    });
    // The first round compiles code and fills caches, and is not counted.
    if (round === 0) continue;
    busy.push(commits / busyMs);
    blocking.push(commits / blockingMs);
    pooled.push(commits / pooledMs);
  }
  const perBlock = (batch * commits * (rounds + 1)) / (journal.lastSeq - startSeq);
  await journal.close();
  raw.close();
  const rate = (perMs: readonly number[]): string => `${show(median(perMs) * 1_000)}/s`;
  const words = (perMs: readonly number[]): string =>
    `${rate(busy)}, ${show(perBlock)} commands a block, against ${rate(perMs)}, ${show(bytes.length)} bytes each`;
  const what = `journal commits of ${batch} commands, against write + fdatasync`;
  return [
    atLeast(what, words(blocking), medianRatio(busy, blocking), TARGET),
    noted(`${what} in the pool`, words(pooled), medianRatio(busy, pooled)),
  ];
}

/** Opens a venue's proposer and journal without executing commands. */
async function openProposer(journal: FileJournal): Promise<Proposer> {
  const proposer = new Proposer(journal);
  await journal.follow(1, ({ commands, proposal, seq }) => {
    const result = { outcomes: commands.map(() => ({})) };
    proposer.applied(proposal, { height: seq, commands, result } as unknown as AppliedBlock);
  });
  return proposer;
}

/** Proposes the next block's commands while one is being written. */
async function proposeBusily(
  proposer: Proposer,
  block: readonly LoggedCommand[],
  commits: number,
): Promise<void> {
  // The bytes are released once they have been written, so each proposal is a new object.
  const propose = (): Promise<unknown> =>
    Promise.all(
      block.map(({ command, encoded, request }) => proposer.propose({ command, request, encoded })),
    );
  let writing = propose();
  // The first block is created at the end of this turn. Later commands wait until it has been
  // written.
  await new Promise((resolve) => setImmediate(resolve));
  for (let count = 1; count < commits; count++) {
    const waiting = propose();
    await writing;
    writing = waiting;
  }
  await writing;
}

function blockOf(batch: number): LoggedCommand[] {
  const { blocks } = createEngineFlow({
    orders: batch,
    ordersPerAction: 1,
    actionsPerBlock: batch,
  });
  const commands = blocks.flatMap((block) => block.commands).slice(0, batch);
  return commands.map((command) => {
    const request = 'r'.repeat(REQUEST_BYTES);
    const buffer = new BlockBuffer();
    buffer.writeBlock([{ command, request }]);
    const encoded = new Uint8Array(buffer.bytes.subarray(0, buffer.length));
    return { command, request, encoded };
  });
}

function bytesOf(block: readonly LoggedCommand[]): Buffer {
  const buffer = new BlockBuffer();
  buffer.skip(RECORD_HEADER_BYTES);
  buffer.writeBlock(block);
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}

class RawFile {
  readonly #descriptor: number;
  readonly #bytes: Buffer;
  #end = 0;

  constructor(path: string, bytes: Buffer, commits: number) {
    this.#bytes = bytes;
    this.#descriptor = openSync(path, 'w');
    const zeros = Buffer.alloc(bytes.length);
    for (let count = 0; count < commits; count++) writeSync(this.#descriptor, zeros);
    fsyncSync(this.#descriptor);
  }

  commit(): void {
    writeSync(this.#descriptor, this.#bytes, 0, this.#bytes.length, this.#end);
    fdatasyncSync(this.#descriptor);
    this.#end += this.#bytes.length;
  }

  commitPooled(): Promise<void> {
    const at = this.#end;
    this.#end += this.#bytes.length;
    return new Promise((resolve, reject) => {
      const synced = (error: Error | null): void => (error === null ? resolve() : reject(error));
      write(this.#descriptor, this.#bytes, 0, this.#bytes.length, at, (error) => {
        if (error === null) fdatasync(this.#descriptor, synced);
        else reject(error);
      });
    });
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

async function wallMs(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
