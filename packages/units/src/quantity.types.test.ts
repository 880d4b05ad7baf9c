import { expect, test } from 'vitest';
import {
  addUsdc,
  type Address,
  feeUp,
  instrumentId,
  type InstrumentId,
  type Lots,
  lots,
  type MicroUsdc,
  microUsdc,
  orderId,
  type OrderId,
  price,
  type Price,
  rateE8,
  type SignedLots,
  type TimeMs,
} from './quantity.ts';

/**
 * An amount of one USDC. Lines marked with an expected type error must not compile; if a change to
 * the types lets one compile, `npm run types` reports the unused mark as an error. The tests only
 * check run-time behaviour when the types are cast away.
 */

const money = microUsdc(1_000_000n);
const size = lots(5);

test('adding a size to money fails even if the types are cast away', () => {
  // @ts-expect-error A bigint and a number cannot be added.
  expect(() => money + size).toThrow(TypeError);
  expect(() => (money as unknown as number) + size).toThrow(TypeError);
});

test('a plain number is not a quantity', () => {
  // @ts-expect-error A size must pass its constructor.
  const bareSize: Lots = 5;
  // @ts-expect-error A price must pass its constructor.
  const barePrice: Price = 100;
  // @ts-expect-error An amount must pass its constructor.
  const bareMoney: MicroUsdc = 5n;
  // @ts-expect-error An address must pass its constructor.
  const bareAddress: Address = '0x00';
  expect([bareSize, barePrice, bareMoney, bareAddress]).toHaveLength(4);
});

test('one unit is not assignable to another', () => {
  // @ts-expect-error A size is not a price.
  const fromSize: Price = size;
  // @ts-expect-error A size is not a position, because it has no direction.
  const position: SignedLots = size;
  // @ts-expect-error An order id is not an instrument id.
  const instrument: InstrumentId = orderId(1);
  // @ts-expect-error An instrument id is not an order id.
  const order: OrderId = instrumentId(1);
  // @ts-expect-error A price is not a time.
  const time: TimeMs = price(1);
  expect([fromSize, position, instrument, order, time]).toHaveLength(5);
});

test('arithmetic removes the unit from the type', () => {
  // @ts-expect-error The sum of two sizes is a plain number until it passes the constructor.
  const sum: Lots = size + size;
  // @ts-expect-error The sum of two amounts must be computed with addUsdc.
  const total: MicroUsdc = money + money;
  expect(lots(sum)).toBe(10);
  expect(total).toBe(addUsdc(money, money));
});

test('the arguments of an operation cannot be swapped', () => {
  // @ts-expect-error The amount is the first argument and the rate the second.
  expect(() => feeUp(rateE8(50_000), money)).toThrow(TypeError);
});

test('a quantity can be used as a plain number', () => {
  const plain: number = size;
  const plainMoney: bigint = money;
  expect([plain, plainMoney]).toEqual([5, 1_000_000n]);
});
