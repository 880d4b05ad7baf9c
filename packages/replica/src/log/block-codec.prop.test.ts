import type { Command } from '@oddlot/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockBuffer, decodeBlock, proposalOf } from './block-codec.ts';

/** Any plain data can be used as a command, and any valid text as a request. */
const loggedCommand = fc
  .record(
    { command: fc.jsonValue(), request: fc.string({ unit: 'binary', maxLength: 300 }) },
    { requiredKeys: ['command'] },
  )
  .map(({ command, ...rest }) => ({ command: command as Command, ...rest }));

/** In a log with several writers, a block has a proposal id. */
const loggedBlock = fc.record(
  {
    commands: fc.array(loggedCommand, { maxLength: 5 }),
    proposal: fc.string({ unit: 'binary', maxLength: 60 }),
  },
  { requiredKeys: ['commands'] },
);

test('blocks are decoded from a buffer of several blocks, with and without their requests', () => {
  fc.assert(
    fc.property(fc.array(loggedBlock, { maxLength: 5 }), (blocks) => {
      const buffer = new BlockBuffer();
      const ends = blocks.map(({ commands, proposal }) => {
        buffer.skip(3);
        buffer.writeBlock(commands, proposal);
        return buffer.length;
      });
      for (const [index, block] of blocks.entries()) {
        const range = { start: (ends[index - 1] ?? 0) + 3, end: ends[index] ?? 0 };
        const whole = decodeBlock(buffer.bytes, { ...range, withRequests: true });
        expect(whole).toEqual(block);
        const bare = decodeBlock(buffer.bytes, { ...range, withRequests: false });
        const commands = block.commands.map(({ command }) => ({ command }));
        expect(bare).toEqual({ ...block, commands });
        const bytes = Buffer.from(buffer.bytes.subarray(range.start, range.end));
        expect(proposalOf(bytes)).toBe(block.proposal);
      }
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 200) },
  );
});

test('a block whose content extends beyond its end is rejected', () => {
  const buffer = new BlockBuffer();
  buffer.writeBlock([{ command: { type: 'x' } as never, request: 'abc' }]);
  const range = { start: 0, end: buffer.length - 1, withRequests: true };
  expect(() => decodeBlock(buffer.bytes, range)).toThrow(/beyond the end/);
});
