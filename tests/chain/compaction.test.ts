import { cp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainAction, inFolder, perform, view } from '../support/chain-actions.ts';
import { TestClock, openChain, payment } from '../support/local-chain.ts';

/** Compares a chain whose file is compacted from time to time with one whose file is not. */

const RUNS = Math.ceil(Number(process.env['FUZZ_RUNS'] ?? 16) / 4);
const UNDO = { undoBlocksMax: 4 };
const SHORT = { ...UNDO, settledBlocksMax: 3 };
const logOf = (directory: string): string => join(directory, 'chain.log');

test('after a restart or a kill at any byte, a chain with a compacted file equals the reference chain', async () => {
  const history = fc.array(chainAction, { minLength: 8, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (actions, where) => {
      await inFolder(async (directory) => {
        const [here, there] = [join(directory, 'short'), join(directory, 'long')];
        const clock = new TestClock();
        const short = await openChain(here, { clock, ...SHORT });
        const long = await openChain(there, { clock, ...UNDO });
        for (const step of actions) {
          clock.ms += 700;
          await perform(short, step);
          await perform(long, step);
          expect(short.head.hash).toBe(long.head.hash);
        }
        const seen = await view(long);
        expect(await view(short)).toEqual(seen);
        await short.setAutomine(false);
        await Promise.all([short.close(), long.close()]);

        // If the kill comes while the compacted file is being written, the uncompacted one is used.
        const content = await readFile(logOf(here));
        await writeFile(
          join(there, 'chain.log.new'),
          content.subarray(0, where % (content.length + 1)),
        );
        for (const [folder, bounds] of [
          [here, UNDO],
          [there, SHORT],
        ] as const) {
          const opened = await openChain(folder, { clock, isAutomining: false, ...bounds });
          expect(await view(opened)).toEqual(seen);
          expect((await opened.mine()).number).toBe(long.head.number + 1);
          await opened.close();
        }

        // A kill may also interrupt an append to the compacted file.
        const whole = (await readFile(logOf(here))).length;
        const copy = join(directory, 'copy');
        await cp(here, copy, { recursive: true });
        await truncate(logOf(copy), whole - 1 - (where % 40));
        const cut = await openChain(copy, { clock, isAutomining: false, ...UNDO });
        expect(await view(cut)).toEqual(seen);
        await cut.close();
      });
    }),
    { numRuns: RUNS },
  );
});

test('an old transaction takes a third of its original space and stays fully readable', async () => {
  await inFolder(async (directory) => {
    const [here, there] = [join(directory, 'short'), join(directory, 'long')];
    const short = await openChain(here, { undoBlocksMax: 4, settledBlocksMax: 150 });
    const long = await openChain(there, UNDO);
    for (let nonce = 0; nonce < 160; nonce += 1) {
      const raw = await payment({ nonce, value: 3n });
      for (const chain of [short, long]) await chain.rpc('eth_sendRawTransaction', [raw]);
    }
    expect(await view(short)).toEqual(await view(long));
    await Promise.all([short.close(), long.close()]);
    const [small, large] = [(await stat(logOf(here))).size, (await stat(logOf(there))).size];
    expect(small).toBeLessThan(large / 3);
  });
});
