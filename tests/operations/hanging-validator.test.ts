import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MoneyWorld } from '../support/money-world.ts';

/**
 * Goal: validators that hang delay only their own payouts. Method: two of three validators must
 * sign. Two accept requests and never respond, and deposits are credited while a payout is waiting
 * for them.
 */

let world: MoneyWorld;
let hanging: Server;
/** The number of pending requests that have not been aborted. */
let held = 0;

beforeAll(async () => {
  world = await MoneyWorld.open();
  hanging = createServer((_, response) => {
    held += 1;
    response.on('close', () => (held -= 1));
  });
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  await world.startVenue([world.url], {
    ownValidators: 1,
    flags: ['--validators', `${url}/one,${url}/two`],
  });
});

afterAll(async () => {
  hanging?.closeAllConnections();
  hanging?.close();
  await world?.close();
});

test('R-deposit: deposits are credited while a payout waits for validators that hang', async () => {
  const first = await world.fundedUser();
  await first.transfer('50');
  await first.has('50');
  await first.withdraw('10');
  const second = await world.fundedUser();
  await expect.poll(() => held, { timeout: 60_000 }).toBe(2);
  await second.transfer('20');
  await second.has('20', 9_000);
  // The same two requests are still pending.
  expect(held).toBe(2);
  expect((await first.rows())[0]?.status).toBe('held');
});
