import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Actor } from '../support/actors.ts';
import { Client, type Json } from '../support/client.ts';
import { removeTemporaryData, temporaryData, Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';

const venues: Venue[] = [];
afterAll(async () => {
  for (const venue of venues) await venue.remove();
  await removeTemporaryData();
});

async function started(flags: readonly string[]): Promise<Venue> {
  const venue = await Venue.start(flags);
  venues.push(venue);
  return venue;
}

const lines = (venue: Venue): Json[] =>
  venue.stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

describe('R-oracle-stale: a venue without prices reports this', () => {
  test('a venue without prices is live but not ready to trade', async () => {
    const file = join(await temporaryData(), 'oddlot.toml');
    const nowhere = ['binance', 'kraken'].map(
      (name) => `[[exchanges]]\nname = "${name}"\nurl = "ws://127.0.0.1:1"\n`,
    );
    await writeFile(file, nowhere.join('\n'));
    const venue = await started(['--config', file, '--oracle', 'exchanges', '--log-level', 'info']);
    expect((await fetch(`${venue.operations}/healthz`)).status).toBe(200);
    const ready = await fetch(`${venue.operations}/readyz`);
    expect(ready.status).toBe(503);
    const { failing, reason, status } = (await ready.json()) as Json;
    expect({ failing: failing.map(({ name }: Json) => name), status }).toEqual({
      failing: ['prices'],
      status: 'notReady',
    });
    expect(reason).toContain('BTC-USDC has no price');
    const text = await (await fetch(`${venue.operations}/metrics`)).text();
    expect(text).toContain('oddlot_oracle_age_seconds{instrument="BTC-USDC"} +Inf');
    expect(lines(venue).map(({ msg }) => msg)).toContain(
      'perp prices: from binance, kraken; reference prices: none',
    );
  });
});

describe('a venue with simulated prices can be monitored', () => {
  const operator = new Actor(
    'operator',
    keyOf('the operator of the log'),
    () => new Client(venue.url),
  );
  let venue: Venue;

  test('a venue reports simulated prices and its components in its log and its metrics', async () => {
    const admins = ['--admins', operator.address.toLowerCase()];
    venue = await started(['--no-exhibition', '--no-bots', ...admins]);
    expect(await (await fetch(`${venue.operations}/readyz`)).json()).toEqual({ status: 'ready' });
    expect(lines(venue)).toContainEqual(
      expect.objectContaining({
        msg: 'perp prices: simulated; reference prices: none',
        network: 'testnet',
      }),
    );
    const text = await (await fetch(`${venue.operations}/metrics`)).text();
    expect(text).toMatch(
      /oddlot_build_info\{version="\d[^"]*",node="\d[^"]*",network="testnet",oracle="simulated",reference_prices="none"\} 1/,
    );
    expect(text).toMatch(/oddlot_oracle_age_seconds\{instrument="BTC-USDC"\} [0-9.]+/);
    expect(text).toMatch(/oddlot_disk_free_bytes [0-9.e+]+/);
    expect(text).toMatch(/oddlot_log_bytes [1-9]/);
    expect(text).toMatch(/oddlot_log_compressed_bytes 0\n/);
  });

  test('a venue logs an operator action in one line with sender, action, market and result', async () => {
    const halt = (instrumentId: number) =>
      operator.sign({ type: 'venueAdmin', setPerp: { instrumentId, haltTrading: true } });
    const reply = await operator.client.executed(await halt(1));
    expect(reply.json).toMatchObject({ status: 'ok', confirm: 'executed' });
    await vi.waitFor(
      () =>
        expect(lines(venue)).toContainEqual(
          expect.objectContaining({
            msg: 'operator action',
            signer: operator.address.toLowerCase(),
            action: 'venueAdmin',
            variant: 'setPerp',
            height: reply.json.height,
            result: 'executed',
            txHash: reply.json.txHash,
          }),
        ),
      { timeout: 60_000 },
    );
    expect(lines(venue).filter(({ msg }) => msg === 'operator action')).toHaveLength(1);
  });
});
