import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { closeBody, jsonFrame, openBody, textFrame } from './frame.ts';

// The frame parser of the `ws` library, which is missing from its types.
const { Receiver } = createRequire(import.meta.url)('ws');

/** Parses the bytes with an independent implementation of the protocol. */
function read(bytes: Buffer): string[] {
  const messages: string[] = [];
  const receiver = new Receiver({ allowSynchronousEvents: true });
  receiver.on('message', (data: Buffer) => messages.push(data.toString()));
  receiver.write(bytes);
  return messages;
}

describe('text frames are encoded without a mask', () => {
  test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])(
    'a text frame carries %i bytes',
    (length) => {
      const text = 'x'.repeat(length);
      expect(read(textFrame(Buffer.from(text)))).toEqual([text]);
      expect(read(textFrame(Buffer.from(text), 'end'))).toEqual([`${text}end`]);
    },
  );

  test('the length of a text frame is in bytes, not characters', () => {
    expect(read(jsonFrame({ name: 'Zürich €' }))).toEqual(['{"name":"Zürich €"}']);
  });

  test('consecutive text frames can be joined', () => {
    const both = Buffer.concat([jsonFrame({ a: 1 }), jsonFrame({ b: 2 })]);
    expect(read(both)).toEqual(['{"a":1}', '{"b":2}']);
  });
});

describe('data frames include a subscription number', () => {
  test('the body of a data frame is completed with a subscription number', () => {
    const body = openBody({ channel: 'trades', data: '[]', seq: 4 });
    expect(read(closeBody(body, 12)).map((text) => JSON.parse(text))).toEqual([
      { channel: 'trades', data: [], seq: 4, sub: 12 },
    ]);
  });

  test('a data frame includes its block and snapshot flag', () => {
    const parts = { channel: 'orderUpdates', data: '[]', seq: 0, height: 9, isSnapshot: true };
    expect(read(closeBody(openBody(parts), 1)).map((text) => JSON.parse(text))).toEqual([
      { ...parts, data: [], sub: 1 },
    ]);
  });
});
