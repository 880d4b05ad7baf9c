import { expect, test } from 'vitest';
import type { CommandTable } from './command-row.ts';
import { COMMANDS } from './commands.ts';

/**
 * The compiler must report an error for each marked line in this file. If a change to the types
 * lets such a line compile, `npm run types` reports the unused mark as an error.
 */

const { withdraw, ...others } = COMMANDS;
const { modifyOrder, placeOrders, setGate } = COMMANDS;

test('a table that lacks the row for a command does not compile', () => {
  // @ts-expect-error The row for `withdraw` is missing.
  const table: CommandTable = others;
  expect(table).not.toHaveProperty('withdraw');
});

test('a signed command without its authorization rules does not compile', () => {
  const { check, ...unchecked } = withdraw;
  const { gate, ...ungated } = withdraw;
  const { class: _class, ...unordered } = withdraw;
  const { restricted, ...unrestricted } = withdraw;
  // @ts-expect-error Admission would accept it unchecked.
  const first: CommandTable['withdraw'] = unchecked;
  // @ts-expect-error A closed channel would accept it.
  const second: CommandTable['withdraw'] = ungated;
  // @ts-expect-error It would have no class within a block.
  const third: CommandTable['withdraw'] = unordered;
  // @ts-expect-error A venue with a full disk could not decide whether to accept it.
  const fourth: CommandTable['withdraw'] = unrestricted;
  expect([first, second, third, fourth]).toHaveLength(4);
  expect([check, gate, restricted]).not.toContain(undefined);
});

test('an operator command without a check does not compile', () => {
  const { check, ...unchecked } = setGate;
  // @ts-expect-error Admission would accept it unchecked.
  const row: CommandTable['setGate'] = unchecked;
  expect(row).not.toHaveProperty('check', check);
});

test('a row with the wrong kind of signer does not compile', () => {
  // @ts-expect-error An account signs it.
  const unsigned: CommandTable['withdraw'] = { ...withdraw, signedBy: 'nobody' };
  // @ts-expect-error The operator signs it.
  const own: CommandTable['setGate'] = { ...setGate, signedBy: 'ownKey' };
  // @ts-expect-error The command has no signature to check.
  const signed: CommandTable['attest'] = { ...COMMANDS.attest, signedBy: 'admins' };
  expect([unsigned, own, signed]).toHaveLength(3);
});

test('a row with the functions of another command does not compile', () => {
  // @ts-expect-error The check of an amend does not accept a list of orders.
  const check: CommandTable['modifyOrder'] = { ...modifyOrder, check: placeOrders.check };
  // @ts-expect-error The execution of an amend does not accept a list of orders.
  const execute: CommandTable['modifyOrder'] = { ...modifyOrder, execute: placeOrders.execute };
  expect([check, execute]).toHaveLength(2);
});

test('a command that refers to orders does not compile without a function that returns them', () => {
  const { targets, ...incomplete } = modifyOrder;
  // @ts-expect-error A rejection could not report the state of the order.
  const row: CommandTable['modifyOrder'] = incomplete;
  expect(row).not.toHaveProperty('targets', targets);
});
