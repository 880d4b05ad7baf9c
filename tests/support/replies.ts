import { expect } from 'vitest';
import type { Json, Reply } from './client.ts';
import { expectShape, listOf, orderResult } from './shape.ts';

/** Returns the state of each order or cancel after execution. */
export function results(reply: Reply): Json[] {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
  const { orders } = reply.json.data.data;
  expectShape(orders, listOf(orderResult));
  return orders;
}

/** Returns the status of an action that has exactly one. */
export function status(reply: Reply): Json {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
  expect(reply.json.data.data.statuses).toHaveLength(1);
  return reply.json.data.data.statuses[0];
}
