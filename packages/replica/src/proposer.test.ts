import { setImmediate as turnOver } from 'node:timers/promises';
import { inDirectory } from '@oddlot/testing/host';
import { describe, expect, test, vi } from 'vitest';
import type { AppliedBlock, LogEntry } from './block.ts';
import type { FileJournal } from './log/file-journal.ts';
import { block, openJournal } from '@oddlot/testing/venue/journal';
import { Proposer } from './proposer.ts';

/** Sends a proposer's blocks through the real journal and records the order of events. */

type Held = { readonly release: () => void };

class Flow {
  readonly happened: string[] = [];
  readonly entries: LogEntry[] = [];
  journal!: FileJournal;
  proposer!: Proposer;
  #held: (() => void) | undefined;
  #isHolding = false;

  static async open(directory: string): Promise<Flow> {
    const flow = new Flow();
    flow.journal = await openJournal(directory, {
      segmentBytes: 64 * 1024 * 1024,
      faults: {
        beforeWrite: () => void flow.happened.push('write'),
        beforeSync: () => flow.#sync(),
      },
    });
    flow.proposer = new Proposer(flow.journal);
    await flow.journal.follow(1, (entry) => flow.#apply(entry));
    return flow;
  }

  hold(): Held {
    this.#isHolding = true;
    return { release: () => this.#held?.() };
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  propose(amount: number, request?: string) {
    return this.proposer.propose(block(amount, request)[0]!);
  }

  #sync(): Promise<void> | undefined {
    if (!this.#isHolding) return undefined;
    this.#isHolding = false;
    return new Promise((resolve) => (this.#held = resolve));
  }

  #apply(entry: LogEntry): void {
    this.happened.push(`apply ${entry.seq}`);
    this.entries.push(entry);
    const outcomes = entry.commands.map(() => ({}));
    const applied = { height: entry.seq, commands: entry.commands, result: { outcomes } };
    this.proposer.applied(entry.proposal, applied as unknown as AppliedBlock);
  }
}

const sizes = ({ entries }: Flow): number[] => entries.map(({ commands }) => commands.length);

test('the next block, with all queued commands, is sent to the disk before the last one is applied', () =>
  inDirectory(async (directory) => {
    const flow = await Flow.open(directory);
    const held = flow.hold();
    const first = flow.propose(1);
    await vi.waitFor(() => expect(flow.isHeld).toBe(true), { timeout: 60_000 });
    const second = flow.propose(2);
    await new Promise(setImmediate);
    const third = flow.propose(3);
    await new Promise(setImmediate);
    expect(flow.proposer.queued).toBe(2);
    held.release();
    const executed = await Promise.all([first, second, third]);
    expect(flow.happened).toEqual(['write', 'write', 'apply 1', 'apply 2']);
    expect(sizes(flow)).toEqual([1, 2]);
    expect(executed.map(({ block: { height }, index }) => [height, index])).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
    ]);
    await flow.proposer.drain();
    expect(flow.proposer.inFlight).toBe(0);
    await flow.journal.close();
  }));

test('a caller gets the result from its own block, regardless of other blocks in the same write', () =>
  inDirectory(async (directory) => {
    const flow = await Flow.open(directory);
    const held = flow.hold();
    const first = flow.propose(1);
    await vi.waitFor(() => expect(flow.isHeld).toBe(true), { timeout: 60_000 });
    // Another writer appends to the same log before and after the second proposal.
    const others = [flow.journal.append(block(70)), flow.journal.append([])];
    const second = flow.propose(2);
    held.release();
    const executed = await Promise.all([first, second]);
    expect((await Promise.all(others)).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(executed.map(({ block: { height } }) => height)).toEqual([1, 4]);
    expect(executed.map(({ block: { commands } }) => commands)).toEqual([block(1), block(2)]);
    await flow.journal.close();
  }));

test('a block is bounded in commands and bytes, and an oversized command is sent alone', () =>
  inDirectory(async (directory) => {
    const flow = await Flow.open(directory);
    const large = 'r'.repeat(1024 * 1024);
    const requests = [large, large, 'small', large.repeat(3), 'small', 'small'];
    await Promise.all(requests.map((request, index) => flow.propose(index, request)));
    expect(sizes(flow)).toEqual([1, 2, 1, 2]);
    await Promise.all(Array.from({ length: 2_500 }, (_, index) => flow.propose(index)));
    expect(sizes(flow).slice(4)).toEqual([1_000, 1_000, 500]);
    await flow.journal.close();
  }));

test('pending commands are listed in the order of the log until they are applied', () =>
  inDirectory(async (directory) => {
    const flow = await Flow.open(directory);
    const amounts = () => [...flow.proposer.underWay()].map((command) => JSON.stringify(command));
    const commands = [1, 2, 3].map((amount) => block(amount)[0]!.command);
    const held = flow.hold();
    const first = flow.propose(1);
    await vi.waitFor(() => expect(flow.isHeld).toBe(true), { timeout: 60_000 });
    const others = [flow.propose(2), flow.propose(3)];
    expect(amounts()).toEqual(commands.map((command) => JSON.stringify(command)));
    held.release();
    await Promise.all([first, ...others]);
    expect(amounts()).toEqual([]);
    await flow.journal.close();
  }));

test('a tick advances the time only if no other block does', () =>
  inDirectory(async (directory) => {
    const flow = await Flow.open(directory);
    await flow.proposer.tick();
    const proposed = flow.propose(1);
    await flow.proposer.tick();
    await proposed;
    expect(sizes(flow)).toEqual([0, 1]);
    await flow.journal.close();
  }));

test('if there is no space for a block, its callers and ticks get an error, and later callers do not wait (R-disk)', () =>
  inDirectory(async (directory) => {
    let space: number | undefined = 10;
    const journal = await openJournal(directory, { faults: { space: () => space } });
    const proposer = new Proposer(journal);
    await journal.follow(1, ({ proposal, commands, seq }) => {
      const result = { outcomes: commands.map(() => ({})) };
      proposer.applied(proposal, { height: seq, result } as unknown as AppliedBlock);
    });
    await expect(proposer.propose(block(1)[0]!)).rejects.toThrow('no disk space');
    await expect(proposer.tick()).rejects.toThrow('no disk space');
    space = undefined;
    expect((await proposer.propose(block(2)[0]!)).block.height).toBe(1);
    await proposer.drain();
    await journal.close();
  }));

describe('a proposer continues after a block that was not accepted', () => {
  /** Returns a proposer whose blocks are accepted or lost as the test specifies. */
  function held() {
    const sent: { readonly proposal: string; readonly take: () => void; lose: () => void }[] = [];
    const log = {
      isWriting: false,
      onFree: () => undefined,
      append: (commands: readonly unknown[], proposal: string) =>
        new Promise<LogEntry>((resolve, reject) => {
          const take = (): void => {
            const result = { outcomes: commands.map(() => ({})) };
            proposer.applied(proposal, { result } as unknown as AppliedBlock);
            resolve({} as LogEntry);
          };
          sent.push({ proposal, take, lose: () => reject(new Error('lost')) });
        }),
    };
    const proposer = new Proposer(log);
    const propose = async (amount: number): Promise<void> =>
      void (await proposer.propose(block(amount)[0]!));
    const until = async (count: number): Promise<void> => {
      await expect.poll(() => sent.length).toBe(count);
    };
    return { proposer, propose, sent, until };
  }
  const partsOf = ({ proposal }: { readonly proposal: string }) => proposal.split(':');

  test('blocks after a lost block use a new proposer name and are numbered from 1', async () => {
    const { propose, sent, until } = held();
    const first = propose(1);
    await until(1);
    sent[0]!.take();
    await first;
    const second = propose(2);
    await until(2);
    sent[1]!.lose();
    await expect(second).rejects.toThrow('lost');
    const third = propose(3);
    await until(3);
    sent[2]!.take();
    await third;
    const names = sent.map((each) => partsOf(each)[0]);
    expect(sent.map((each) => partsOf(each)[1])).toEqual(['1', '2', '1']);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
  });

  test('blocks after a lost block wait for those sent before them', async () => {
    const { proposer, propose, sent, until } = held();
    const first = propose(1);
    await until(1);
    const second = propose(2);
    await until(2);
    sent[1]!.lose();
    await expect(second).rejects.toThrow('lost');
    const third = propose(3);
    await turnOver();
    await turnOver();
    expect(sent).toHaveLength(2);
    expect(proposer.queued).toBe(1);
    sent[0]!.take();
    await first;
    await until(3);
    expect(partsOf(sent[2]!)[0]).not.toBe(partsOf(sent[0]!)[0]);
    sent[2]!.take();
    await third;
    await proposer.drain();
  });
});
