import { expect, test } from 'vitest';
import type { CommandTable } from './rules.ts';
import { COMMANDS } from './commands.ts';

/**
 * What must not compile. Each marked line is an error that the compiler has to report; when a change
 * of the types lets one pass, the mark itself becomes the error, in `npm run types`.
 */

const { withdraw, ...others } = COMMANDS;
const { modifyOrder, placeOrders, setGate } = COMMANDS;

test('a command without a row', () => {
  // @ts-expect-error The row of `withdraw` is missing.
  const table: CommandTable = others;
  expect(table).not.toHaveProperty('withdraw');
});

test('a signed command that nothing says about how it is judged', () => {
  const { check, ...unchecked } = withdraw;
  const { gate, ...ungated } = withdraw;
  const { class: _class, ...unordered } = withdraw;
  const { restricted, ...unrestricted } = withdraw;
  // @ts-expect-error Admission would let it pass unjudged.
  const first: CommandTable['withdraw'] = unchecked;
  // @ts-expect-error A closed channel would let it pass.
  const second: CommandTable['withdraw'] = ungated;
  // @ts-expect-error It would have no place in a block.
  const third: CommandTable['withdraw'] = unordered;
  // @ts-expect-error Nobody would know what a venue with a full disk does with it.
  const fourth: CommandTable['withdraw'] = unrestricted;
  expect([first, second, third, fourth]).toHaveLength(4);
  expect([check, gate, restricted]).not.toContain(undefined);
});

test('an operator command without a check', () => {
  const { check, ...unchecked } = setGate;
  // @ts-expect-error Admission would let it pass unjudged.
  const row: CommandTable['setGate'] = unchecked;
  expect(row).not.toHaveProperty('check', check);
});

test('the wrong signer', () => {
  // @ts-expect-error An account signs it.
  const unsigned: CommandTable['withdraw'] = { ...withdraw, signedBy: 'nobody' };
  // @ts-expect-error The operator signs it.
  const own: CommandTable['setGate'] = { ...setGate, signedBy: 'ownKey' };
  // @ts-expect-error It carries no signature to look at.
  const signed: CommandTable['attest'] = { ...COMMANDS.attest, signedBy: 'admins' };
  expect([unsigned, own, signed]).toHaveLength(3);
});

test('the functions of another command', () => {
  // @ts-expect-error An amend is not a list of orders.
  const check: CommandTable['modifyOrder'] = { ...modifyOrder, check: placeOrders.check };
  // @ts-expect-error Nor is it executed as one.
  const execute: CommandTable['modifyOrder'] = { ...modifyOrder, execute: placeOrders.execute };
  expect([check, execute]).toHaveLength(2);
});

test('a command that names orders and does not say which', () => {
  const { targets, ...untold } = modifyOrder;
  // @ts-expect-error Who is refused could not be told how the order stands.
  const row: CommandTable['modifyOrder'] = untold;
  expect(row).not.toHaveProperty('targets', targets);
});
