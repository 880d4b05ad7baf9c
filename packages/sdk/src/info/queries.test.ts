import { afterEach, expect, test } from 'vitest';
import { createClient, type Client } from '../client.ts';
import { ApiError, ValidationError } from '../errors.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';

const USER = `0x${'ab'.repeat(20)}`;
const VAULT = `0x${'cd'.repeat(20)}`;

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

async function aVenue(answer: Answer): Promise<FakeVenue> {
  const venue = await FakeVenue.start(answer);
  running.push(venue);
  return venue;
}

test.each<[string, (info: Client['info']) => Promise<unknown>, object]>([
  ['triggerOrders', (info) => info.triggerOrders({ user: USER, asset: '1' }), { asset: '1' }],
  ['feeTierRates', (info) => info.feeTierRates({ user: USER }), {}],
  ['approvedAgents', (info) => info.approvedAgents({ user: USER }), {}],
  ['approvedBuilders', (info) => info.approvedBuilders({ user: USER }), {}],
  ['builderState', (info) => info.builderState({ user: USER }), {}],
  ['reservesProof', (info) => info.reservesProof({ user: USER }), {}],
  ['multiSigSigners', (info) => info.multiSigSigners({ user: USER }), {}],
  ['multiSigChanges', (info) => info.multiSigChanges({ user: USER }), {}],
  ['accessCodeStatus', (info) => info.accessCodeStatus({ user: USER, channel: 1 }), { channel: 1 }],
  [
    'simulate',
    (info) => info.simulate({ user: USER, action: { type: 'cancelAll' }, vaultAddress: VAULT }),
    { action: { type: 'cancelAll' }, vaultAddress: VAULT },
  ],
  [
    'userNonFundingLedgerUpdates',
    (info) => info.userNonFundingLedgerUpdates({ user: USER, accountTypes: ['perp'], limit: 5 }),
    { accountTypes: ['perp'], limit: 5 },
  ],
])('the method %s sends the query of its name', async (type, ask, rest) => {
  const data = [{ type }];
  const venue = await aVenue({ body: { success: true, code: 0, data } });
  await expect(ask(createClient({ url: venue.url }).info)).resolves.toEqual(data);
  const { path, text } = venue.received[0]!;
  expect(path).toBe('/info');
  expect(JSON.parse(text)).toEqual({ type, user: USER, ...rest });
});

test('a query with an invalid limit is not sent', async () => {
  const venue = await aVenue({ body: { success: true, code: 0, data: [] } });
  const { info } = createClient({ url: venue.url });
  const failed = info.userNonFundingLedgerUpdates({ user: USER, limit: 0.5 });
  await expect(failed).rejects.toThrow(ValidationError);
  expect(venue.received).toEqual([]);
});

test('a refusal is thrown with its name', async () => {
  const body = { success: false, code: 10_404, name: 'NOT_FOUND', message: 'Instrument not found' };
  const venue = await aVenue({ body });
  const failed = createClient({ url: venue.url }).info.feeTierRates({ user: USER });
  await expect(failed).rejects.toThrow(ApiError);
  await expect(failed).rejects.toMatchObject({ name: 'NOT_FOUND' });
});

test('explainSignature sends the envelope unchanged', async () => {
  const venue = await aVenue({ body: { success: true, code: 0, data: {} } });
  const { info } = createClient({ url: venue.url });
  const envelope = '{"nonce":1,"action":{"type":"cancelAll","2":0,"1":1.0}}';
  await info.explainSignature({ envelope, expect: USER });
  await info.explainSignature({ envelope: { nonce: 1 } });
  expect(venue.received.map(({ path, text }) => [path, text])).toEqual([
    ['/info', `{"type":"explainSignature","envelope":${envelope},"expect":"${USER}"}`],
    ['/info', '{"type":"explainSignature","envelope":{"nonce":1}}'],
  ]);
});

test.each(['', 'null', '[]', '{"a":1', '7'])(
  'explainSignature rejects the text %j, which is not an object',
  async (text) => {
    const venue = await aVenue({ body: { success: true, code: 0, data: {} } });
    const failed = createClient({ url: venue.url }).info.explainSignature({ envelope: text });
    await expect(failed).rejects.toThrow(ValidationError);
    expect(venue.received).toEqual([]);
  },
);
