import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACTIONS } from '@oddlot/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, type Json } from '../support/client.ts';
import { EveryAction, OPERATOR, type SentAction } from '../support/every-action.ts';
import { FIXED_PRICE_FLAGS, HOLDING, temporaryData, Venue } from '../support/venue-process.ts';

/**
 * Goal: requests signed for one venue never execute on another. Method: the same keys send every
 * signable action to two venues on the same network, with separate signatures, so that all keys
 * have their accounts and roles on both venues. The requests executed on one venue are then sent
 * unchanged to the other, and to a third venue that was set up later under the first one's name.
 */

const FLAGS = [
  ...FIXED_PRICE_FLAGS,
  ...HOLDING,
  '--no-bots',
  '--admins',
  OPERATOR,
  '--deployers',
  OPERATOR,
];

type Place = {
  readonly venue: Venue;
  readonly client: Client;
  readonly name: string;
  readonly sent: readonly SentAction[];
};
const venues: Venue[] = [];

async function aVenue(data?: string): Promise<Venue> {
  const venue = await Venue.start([...FLAGS, '--service-network', 'example.org'], data);
  venues.push(venue);
  return venue;
}

/** Executes every action on a venue. */
async function placeOf(venue: Venue): Promise<Place> {
  const client = new Client(venue.url);
  const { service_network: name } = await client.data({ type: 'settings' });
  return { venue, client, name, sent: await new EveryAction(venue.url).act() };
}

let first: Place;
let second: Place;
beforeAll(async () => {
  // The first part of the name is the same, so only the random digits differ. Both venues start
  // before any request is signed.
  const [one, other] = [await aVenue(), await aVenue()];
  [first, second] = [await placeOf(one), await placeOf(other)];
}, 180_000);

afterAll(async () => {
  const faults = venues.flatMap((venue) => venue.faults());
  for (const venue of venues) await venue.remove();
  expect(faults).toEqual([]);
});

test('every type of action executed on both venues', () => {
  expect(first.name).toMatch(/^example\.org-[0-9a-f]{8}$/);
  expect(second.name).not.toBe(first.name);
  for (const { sent } of [first, second]) {
    expect(new Set(sent.map(({ type }) => type))).toEqual(new Set(Object.keys(ACTIONS)));
  }
});

test('requests executed on one venue are rejected by the other, for any signer', async () => {
  for (const [from, to] of [
    [first, second],
    [second, first],
  ] as const) {
    const before = await txHashes(to);
    for (const { type, body } of from.sent) {
      const { json } = await to.client.post('/exchange', body);
      expect(json, type).toMatchObject({ status: 'err', ...refusalOf(body, from, to) });
    }
    expect(await txHashes(to)).toEqual(before);
  }
});

test('explainSignature names the venue that an account action was signed for', async () => {
  const sends = first.sent.filter(({ type }) => type === 'tokenSend');
  const envelope = JSON.parse(sends[0]!.body) as object;
  const { match } = await second.client.data({ type: 'explainSignature', envelope });
  expect(match).toMatchObject({
    mistake: 'networkName',
    role: 'account',
    hint: `Sign for ${second.name}, the network of this venue: you signed for ${first.name}.`,
  });
});

test('R-nonce: a venue set up again under the same name rejects requests from before', async () => {
  const data = await temporaryData();
  await copyFile(join(second.venue.data, 'service-network'), join(data, 'service-network'));
  await second.venue.stop();
  const client = new Client((await aVenue(data)).url);
  expect((await client.data({ type: 'settings' })).service_network).toBe(second.name);
  const began = (await client.data({ type: 'block', height: 1 })).blockTime;
  const message = `Nonce is from before this venue began: must be above ${began}`;
  // The account does not exist on this venue yet, but the nonce is checked first.
  for (const { type, body } of second.sent) {
    const { json } = await client.post('/exchange', body);
    expect(json, type).toMatchObject({ status: 'err', code: 10004, message });
  }
  expect(await client.data({ type: 'txs', limit: 100 })).toEqual([]);
});

/**
 * A signature for another name recovers an unknown address. Actions that include the name are
 * rejected because of it.
 */
function refusalOf(body: string, from: Place, to: Place): object {
  const { action } = JSON.parse(body) as { action: Json };
  const { type, serviceNetwork } = action.payload?.action ?? action;
  if (serviceNetwork !== undefined) {
    const message = `Network mismatch: expected ${to.name}, got ${from.name}`;
    return { code: 10005, message };
  }
  if (type === 'venueAdmin' || type === 'outcomeDeploy') return { code: 10003 };
  if (action.type === 'multiSig') return { code: 10003 };
  return { code: 10006, message: 'No trading account found. Please deposit first.' };
}

/** Returns the hashes of all transactions executed on a venue. */
async function txHashes({ client, sent }: Place): Promise<readonly string[]> {
  const rows = await client.data({ type: 'txs', limit: 100 });
  expect(rows.length).toBeGreaterThanOrEqual(sent.length);
  return rows.map(({ txHash }: { txHash: string }) => txHash);
}
