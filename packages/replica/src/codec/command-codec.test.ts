import { readFileSync } from 'node:fs';
import type { Command } from '@oddlot/engine';
import { describe, expect, test } from 'vitest';
import { EVERY_COMMAND } from '@oddlot/testing/venue/every-command';
import { EncodingError } from './bytes.ts';
import { decodeCommand, encodeCommand } from './command-codec.ts';

/** Commands as encoded in logs since format 2. This file is never regenerated. */
const GOLDEN = JSON.parse(
  readFileSync(new URL('./command-codec.golden.json', import.meta.url), 'utf8'),
) as Readonly<Record<Command['type'], string>>;

const IN_SHORT = ['placeOrders', 'cancelOrders', 'cancelByClientId', 'modifyOrder'];

describe('commands are encoded as bytes', () => {
  test.each(Object.values<Command>(EVERY_COMMAND))(
    '$type is encoded as the bytes that existing logs contain',
    (command) => {
      const bytes = Buffer.from(GOLDEN[command.type], 'hex');
      expect(encodeCommand(command).toString('hex')).toBe(GOLDEN[command.type]);
      expect(JSON.stringify(decodeCommand(bytes))).toBe(JSON.stringify(command));
      expect(bytes[0] === 0).toBe(!IN_SHORT.includes(command.type));
    },
  );

  test('an encoded order is less than a third as long as its JSON', () => {
    const { placeOrders } = EVERY_COMMAND;
    const command = { ...placeOrders, orders: placeOrders.orders.slice(0, 1) };
    expect(encodeCommand(command).length).toBeLessThan(JSON.stringify(command).length / 3);
    expect(encodeCommand(command)[0]).toBe(1);
  });

  test.each([
    ['no bytes', '', /beyond the end/],
    ['a form that no release has', 'ff', /unknown kind of command: 255/],
    ['a value of unknown kind', '0009', /unknown kind of value: 9/],
    ['an invalid number', '0003f8', /invalid number prefix: 248/],
    ['a text of unknown kind', '000403', /unknown kind of text/],
    ['a text that is not UTF-8', '000404ff', /unknown kind of text/],
    ['a list longer than all bytes', '0005f905', /5 parts reach beyond/],
    ['an undefined key number', '00060101', /key 1 is used before it is defined/],
    ['bytes after the command', '000000', /ends at 2 instead of 3/],
  ])('decoding rejects %s', (_, hex, message) => {
    expect(() => decodeCommand(Buffer.from(hex, 'hex'))).toThrow(EncodingError);
    expect(() => decodeCommand(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  test('a command that is not plain data cannot be encoded', () => {
    const command = { type: 'attest', height: 1n } as unknown as Command;
    expect(() => encodeCommand(command)).toThrow(/plain data/);
  });
});
