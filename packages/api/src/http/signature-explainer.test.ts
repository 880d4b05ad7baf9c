import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hash, type Address } from '@oddlot/units';
import {
  approveAgentAction,
  multiSigned,
  orderAction,
  signed,
  testKey,
  type SignOptions,
} from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { ADMIN_KEY_BYTE } from '@oddlot/testing/venue/http/test-replica';

const alice = testKey(1);
const agent = testKey(3);
const otherKey = testKey(4);
const carol = testKey(5);
const dave = testKey(6);
const admin = testKey(ADMIN_KEY_BYTE);
const vault = testKey(8);
let edge: TestEdge;
let nonce = 0;

beforeEach(async () => {
  edge = await startEdge();
  edge.replica.credit(alice.address);
  nonce = edge.replica.nowMs;
});
afterEach(() => edge.close());

/** Sends the query with the unmodified text of the envelope. */
const ask = (envelope: string, more = '') =>
  edge.send('/info', `{"type":"explainSignature",${more}"envelope":${envelope}}`);
const explained = async (envelope: string, more?: string) => {
  const reply = await ask(envelope, more);
  expect(reply).toMatchObject({ status: 200, json: { success: true, code: 0 } });
  return reply.json.data;
};
const by = (options: Partial<SignOptions> = {}): SignOptions => ({ key: alice, nonce, ...options });
const authority = (signer: Address) => ({
  signer,
  nonce: ++nonce,
  txHash: hash(`0x${nonce.toString(16).padStart(64, '0')}`),
});
/** Changes an envelope after it was signed. */
const changed = (envelope: string, change: object) =>
  JSON.stringify({ ...(JSON.parse(envelope) as object), ...change });

test('a valid signature is explained without trying alternatives', async () => {
  const envelope = signed(orderAction(), by());
  const data = await explained(envelope);
  const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/) as string;
  expect(data).toEqual({
    scheme: 'agent',
    typeString:
      'Agent(string serviceNetwork,uint32 chainId,uint32 apiVersion,bytes32 connectionId)',
    domain: {
      name: 'Oddlot-Testnet',
      version: '1',
      chainId: 2511,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    msgpack: expect.stringMatching(/^0x83a474797065a56f72646572/) as string,
    preimage: `${data.msgpack}${nonce.toString(16).padStart(16, '0')}00`,
    connectionId: HASH,
    structHash: HASH,
    digest: HASH,
    txHash: HASH,
    signer: alice.address,
    role: 'account',
    owner: null,
    agentName: null,
    tried: [],
    match: null,
  });
  expect(edge.replica.proposed).toBe(0);
  const { json } = await edge.send('/exchange', changed(envelope, { confirm: 'executed' }));
  expect(json).toMatchObject({ status: 'ok', txHash: data.txHash });
});

describe('the explanation includes the role of each signer', () => {
  const approve = () => {
    const approval = { agent: agent.address, label: 'desk' };
    edge.replica.apply({ type: 'approveAgent', authority: authority(alice.address), ...approval });
  };
  const convert = (users: readonly Address[] | null) => {
    const signers = users && { users, threshold: 1 };
    edge.replica.apply({ type: 'convertToMultiSig', authority: authority(alice.address), signers });
  };

  test('the role of an agent includes its owner', async () => {
    approve();
    const data = await explained(signed(orderAction(), by({ key: agent })));
    const { address: signer } = agent;
    expect(data).toMatchObject({ signer, role: 'agent', owner: alice.address, agentName: 'desk' });
  });

  test('for direct actions, the signer is the account', async () => {
    const data = await explained(signed(approveAgentAction(nonce, agent.address), by()));
    expect(data).toMatchObject({ scheme: 'direct', role: 'account', tried: [], match: null });
    expect(data).toMatchObject({ msgpack: null, preimage: null, connectionId: null });
  });

  test('an operator is a deployer for outcomeDeploy and an admin for venueAdmin', async () => {
    edge.replica.credit(admin.address);
    const send = { destination: alice.address, amount: '1' };
    const treasury = { type: 'venueAdmin', treasurySend: send };
    const trading = { instrumentIds: [100_000], state: 'halt' };
    const deploy = { type: 'outcomeDeploy', setTrading: trading };
    for (const [action, role] of [
      [treasury, 'admin'],
      [deploy, 'deployer'],
      [orderAction(), 'account'],
    ] as const) {
      expect(await explained(signed(action, by({ key: admin })))).toMatchObject({ role });
    }
  });

  test('a signer of a multi-sig account has this role once the account is converted', async () => {
    const wrapper = multiSigned(orderAction(), {
      nonce,
      user: alice.address,
      outer: carol,
      inner: [carol],
    });
    const role = async () => (await explained(wrapper)).role as string;
    expect(await role()).toBe('none');
    convert([carol.address, dave.address]);
    expect(await role()).toBe('multiSigSigner');
    expect(await explained(wrapper)).toMatchObject({ scheme: 'multiSig', signer: carol.address });
    // Blocks without a conversion do not change the signers.
    edge.replica.credit(dave.address);
    expect(await role()).toBe('multiSigSigner');
  });

  test('an address named only by the client gets the role expected', async () => {
    const envelope = signed(orderAction(), by({ key: otherKey }));
    expect(await explained(envelope)).toMatchObject({ role: 'none', signer: otherKey.address });
    const upper = `0x${otherKey.address.slice(2).toUpperCase()}`;
    const data = await explained(envelope, `"expect":"${upper}",`);
    expect(data).toMatchObject({ role: 'expected', owner: null, tried: [], match: null });
  });
});

describe('the explanation finds why a signer is unknown', () => {
  test('the explanation names the mistake that leads to a known address', async () => {
    const approval = { agent: agent.address, label: '' };
    edge.replica.apply({ type: 'approveAgent', authority: authority(alice.address), ...approval });
    const envelope = changed(signed(orderAction(), by({ key: agent })), { nonce: nonce - 1 });
    const data = await explained(envelope);
    expect(data.role).toBe('none');
    expect(data.match).toEqual({
      mistake: 'nonce',
      variant: 'nonce + 1',
      signer: agent.address,
      role: 'agent',
      owner: alice.address,
      hint: `Sign the nonce that you send, ${nonce - 1}: you signed ${nonce}.`,
    });
    const { variant, mistake, signer, role } = data.match;
    expect(data.tried.at(-1)).toEqual({ mistake, variant, signer, role });
    const known = data.tried.filter((each: { role: string }) => each.role !== 'none');
    expect(known).toHaveLength(1);
    expect(edge.replica.proposed).toBe(0);
  });

  test('the explanation names the mistake that leads to the address that the client expects', async () => {
    const envelope = signed(orderAction(), by({ key: otherKey }));
    const without = changed(envelope, { expiresAfter: nonce });
    expect((await explained(without)).match).toBeNull();
    const data = await explained(without, `"expect":"${otherKey.address}",`);
    expect(data.match).toMatchObject({ mistake: 'expiresAfter', role: 'expected', owner: null });
  });

  test('all alternatives are listed if none leads to a known address', async () => {
    const data = await explained(signed(orderAction(), by({ key: otherKey })));
    expect(data.match).toBeNull();
    const mistakes = new Set(data.tried.map((each: { mistake: string }) => each.mistake));
    expect(mistakes).toContain('keyOrder');
    expect(mistakes).toContain('expiresAfter');
    for (const each of data.tried) expect(each).toMatchObject({ role: 'none' });
  });

  test('the explanation detects a signature for a vault missing from the request', async () => {
    edge.replica.apply({
      type: 'registerVault',
      vault: vault.address,
      leader: alice.address,
      name: 'vault',
    });
    const envelope = signed(orderAction(), by({ vaultAddress: vault.address }));
    const data = await explained(changed(envelope, { vaultAddress: null }));
    expect(data.match).toMatchObject({ mistake: 'vaultFlag', variant: `vault ${vault.address}` });
  });

  test('the explanation detects a signature for another network', async () => {
    const network = { serviceNetwork: 'Oddlot-Mainnet', chainId: 869, apiVersion: 1 };
    const data = await explained(signed(orderAction(), by({ network })));
    expect(data.match).toMatchObject({ mistake: 'networkName', signer: alice.address });
  });

  test('the explanation detects a signature for the settlement chain', async () => {
    const signatureChainId = 421_614;
    const action = approveAgentAction(nonce, agent.address);
    const envelope = signed(action, by({ signatureChainId }));
    const data = await explained(changed(envelope, { signatureChainId: null }));
    expect(data.match).toMatchObject({
      mistake: 'chainId',
      variant: '421614 in the domain',
      hint: expect.stringContaining('send signatureChainId 421614') as string,
    });
  });

  test('an invalid signature has neither a signer nor a match', async () => {
    const envelope = signed(orderAction(), by());
    const { signature } = JSON.parse(envelope) as { signature: object };
    const high = { ...signature, s: `0x${'f'.repeat(64)}` };
    const data = await explained(changed(envelope, { signature: high }));
    expect(data).toMatchObject({ signer: null, role: 'none', match: null });
    expect(data.tried.length).toBeGreaterThan(0);
  });
});

test('the action is read from the text, preserving key order and spelling', async () => {
  const action = '{"type" : "cancelAll", "10":"t\\u0065n", "7":"seven"}';
  const signature = '{"r":"0x1","s":"0x1","v":27}';
  const data = await explained(`{"nonce":1, "action":${action},"signature":${signature} }`);
  expect(data.msgpack).toBe('0x83a474797065a963616e63656c416c6ca23130a374656ea137a5736576656e');
});

describe('malformed explainSignature queries are refused', () => {
  const right = () => JSON.parse(signed(orderAction(), by())) as Record<string, unknown>;
  const without = (key: string) => {
    const { [key]: _, ...rest } = right();
    return rest;
  };

  test('a missing or malformed envelope is refused as in /exchange', async () => {
    const refused = (message: string) => ({
      status: 400,
      json: { success: false, code: 10002, name: 'BAD_REQUEST', message },
    });
    const query = (envelope: unknown) => edge.send('/info', { type: 'explainSignature', envelope });
    expect(await query(undefined)).toMatchObject(refused('Missing field: envelope'));
    expect(await query('x')).toMatchObject(refused('Wrong type for envelope'));
    for (const envelope of [
      {},
      without('signature'),
      without('nonce'),
      { ...right(), nonce: '1' },
      { ...right(), signature: { r: '0x1', s: '0x1', v: 5 } },
      { ...right(), action: { type: 'order', grouping: 'na', orders: [] } },
      { ...right(), action: {} },
    ]) {
      const { json } = await edge.send('/exchange', envelope);
      const { code, message, name, details } = json;
      const asked = await query(envelope);
      expect(code).toBe(10002);
      expect(asked).toMatchObject({ status: 400 });
      expect(asked.json).toEqual({ success: false, code, message, name, details });
    }
    const expectation = { type: 'explainSignature', envelope: right(), expect: '0x1' };
    const wrong = refused('Wrong type for expect');
    expect(await edge.send('/info', expectation)).toMatchObject(wrong);
  });

  test('an envelope with an unknown action type is refused', async () => {
    const envelope = { ...right(), action: { type: 'nonsense' } };
    expect(await ask(JSON.stringify(envelope))).toMatchObject({
      status: 200,
      json: { success: false, code: 10001, message: 'This action is not allowed.' },
    });
  });
});

test('explainSignature has its own budget in addition to that of /info', async () => {
  await edge.close();
  edge = await startEdge({ isLimited: true });
  const envelope = signed(orderAction(), by());
  const statuses: number[] = [];
  for (let index = 0; index < 6; index++) statuses.push((await ask(envelope)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await ask(envelope)).toMatchObject({
    headers: { 'retry-after': '1', 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '43' },
    json: { success: false, code: 10000, message: 'rate limit exceeded', name: 'RATE_LIMITED' },
  });
  const { data } = (await edge.send('/info', { type: 'rateLimit' })).json;
  expect(data.explainSignature).toMatchObject({ limit: 5, remaining: 0 });
  edge.replica.nowMs += 200;
  expect((await ask(envelope)).status).toBe(200);
});
