import { describe, expect, test } from 'vitest';
import { encode } from '@msgpack/msgpack';
import { bytesToHex, getAddress, keccak256, recoverAddress, type Hex } from 'viem';
import { aSharedVenue, cancelAction, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { directAction, signDirect, signMultiSig } from '../support/direct.ts';
import { OUTCOMES } from '../support/outcomes.ts';
import { succeeded, Operator } from '../support/perps.ts';
import {
  address,
  exactly,
  expectShape,
  hash,
  integer,
  listOf,
  nullable,
  record,
  text,
} from '../support/shape.ts';
import {
  AGENT_TYPES,
  agentPreimage,
  approveAgentAction,
  domainOf,
  nextNonce,
  signApproveAgent,
  signDigest,
  TESTNET,
  typedBytes,
  type Envelope,
  type JsonObject,
} from '../support/wallet.ts';

const world = aSharedVenue(OUTCOMES);
const operator = new Operator(world);

const SETTLEMENT_CHAIN = 421_614;

const explain = async (envelope: Envelope, more: object = {}): Promise<Json> =>
  world.client.data({ type: 'explainSignature', envelope, ...more });

function resting(changes: JsonObject = {}): JsonObject {
  const { btc } = world;
  const far = order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20) });
  return { ...orderAction(far), ...changes };
}

const harmless = () => cancelAction({ a: world.btc.id, o: 1 });
const packed = (action: JsonObject, options = {}): { packed: Hex } => ({
  packed: bytesToHex(encode(action, options)),
});

const role = exactly('account', 'agent', 'deployer', 'admin', 'multiSigSigner', 'expected', 'none');
const shape = record({
  scheme: exactly('agent', 'direct', 'multiSig'),
  typeString: text,
  domain: record({ name: text, version: text, chainId: integer, verifyingContract: address }),
  msgpack: nullable(text),
  preimage: nullable(text),
  connectionId: nullable(hash),
  structHash: hash,
  digest: hash,
  txHash: hash,
  signer: nullable(address),
  role,
  owner: nullable(address),
  agentName: nullable(text),
  tried: listOf(record({ mistake: text, variant: text, signer: nullable(address), role })),
  match: nullable(
    record({
      mistake: text,
      variant: text,
      signer: address,
      role,
      owner: nullable(address),
      hint: text,
    }),
  ),
});

describe('explainSignature explains a correct signature', () => {
  test('explainSignature explains a trading action with all intermediate values, without executing it', async () => {
    const alice = await world.trader('alice');
    const nonce = nextNonce();
    const expiresAfter = nonce + 60_000;
    const action = resting();
    const signed = await alice.sign(action, { nonce, expiresAfter });
    const data = await explain(signed.envelope);
    expectShape(data, shape);
    const preimage = agentPreimage(action, { nonce, expiresAfter });
    expect(data).toMatchObject({
      scheme: 'agent',
      typeString:
        'Agent(string serviceNetwork,uint32 chainId,uint32 apiVersion,bytes32 connectionId)',
      domain: domainOf(TESTNET),
      msgpack: bytesToHex(encode(action)),
      preimage,
      connectionId: keccak256(preimage),
      digest: signed.digest,
      txHash: signed.txHash,
      signer: alice.address,
      role: 'account',
      owner: null,
      agentName: null,
      tried: [],
      match: null,
    });
    expect(await alice.openOrders()).toEqual([]);
    expect((await world.client.executed(signed)).json).toMatchObject({ status: 'ok' });
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('explainSignature explains a direct action under the chain id it announces', async () => {
    const alice = await world.trader('alice');
    const agentAddress = world.unfunded('agent').address;
    const options = { agentAddress, nonce: nextNonce(), signatureChainId: 1 };
    const signed = await signApproveAgent(alice.key, options);
    const data = await explain(signed.envelope);
    expectShape(data, shape);
    expect(data).toMatchObject({
      scheme: 'direct',
      domain: domainOf(TESTNET, 1),
      msgpack: null,
      preimage: null,
      connectionId: null,
      digest: signed.digest,
      txHash: signed.txHash,
      role: 'account',
    });
    expect(await alice.agents()).toEqual([]);
  });

  test("explainSignature explains an agent's signature with the owner and the label", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address, 'desk'));
    const data = await explain((await agent.sign(harmless())).envelope);
    const { address: signer } = agent;
    expect(data).toMatchObject({ signer, role: 'agent', owner: alice.address, agentName: 'desk' });
  });

  test('explainSignature explains signatures by the operator and by an address without an account', async () => {
    const action = { type: 'venueAdmin', setPerp: { instrumentId: 1, haltTrading: true } };
    const { envelope } = await operator.actor.sign(action);
    expect(await explain(envelope)).toMatchObject({ role: 'admin', match: null });
    const outsider = world.unfunded('stranger');
    const unknown = await outsider.sign(harmless());
    expect(await explain(unknown.envelope)).toMatchObject({ role: 'none', match: null });
    const data = await explain(unknown.envelope, { expect: getAddress(outsider.address) });
    expect(data).toMatchObject({ role: 'expected', tried: [], match: null });
  });

  test("explainSignature explains a multi-sig signer's signature", async () => {
    const [alice, carol] = [await world.trader('alice'), world.unfunded('carol')];
    const signers = JSON.stringify({ authorizedUsers: [carol.address], threshold: 1 });
    const nonce = nextNonce();
    const convert = directAction('convertToMultiSigUser', nonce, { signers });
    succeeded(await world.client.executed(await signDirect(alice.key, convert, { nonce })));
    const keys = { outerKey: carol.key, innerKeys: [carol.key] };
    const options = { ...keys, multiSigUser: alice.address, nonce: nextNonce() };
    const signed = await signMultiSig(harmless(), options);
    const data = await explain(signed.envelope);
    const { type: _type, ...content } = signed.envelope.action;
    expect(data).toMatchObject({
      scheme: 'multiSig',
      msgpack: bytesToHex(encode(content)),
      connectionId: keccak256(agentPreimage(content, options)),
      digest: signed.digest,
      txHash: signed.txHash,
      signer: carol.address,
      role: 'multiSigSigner',
    });
    const changed = await explain({ ...signed.envelope, nonce: options.nonce + 1 });
    expect(changed.match).toMatchObject({ mistake: 'nonce', role: 'multiSigSigner', owner: null });
  });
});

describe('explainSignature finds what is wrong with an incorrect signature', () => {
  const mistakes: [string, (alice: Actor) => Promise<Envelope>][] = [
    [
      'keyOrder',
      async (alice) => {
        const action = resting();
        return (await alice.sign(action, packed(action, { sortKeys: true }))).envelope;
      },
    ],
    [
      'missingType',
      async (alice) => {
        const { type: _type, ...rest } = resting();
        return (await alice.sign(resting(), packed(rest))).envelope;
      },
    ],
    [
      'chainId',
      async (alice) =>
        (await alice.sign(harmless(), { network: { ...TESTNET, chainId: 869 } })).envelope,
    ],
    [
      'networkName',
      async (alice) => {
        const network = { ...TESTNET, serviceNetwork: 'Oddlot-Mainnet' };
        return (await alice.sign(harmless(), { network })).envelope;
      },
    ],
    [
      'networkName',
      async (alice) => {
        const network = { ...TESTNET, serviceNetwork: 'Oddlot-Mainnet', chainId: 869 };
        return (await alice.sign(harmless(), { network })).envelope;
      },
    ],
    [
      'vaultFlag',
      async (alice) => {
        const { envelope } = await alice.sign(harmless());
        return { ...envelope, vaultAddress: world.unfunded('vault').address };
      },
    ],
    [
      'nonce',
      async (alice) => {
        const { envelope } = await alice.sign(harmless());
        return { ...envelope, nonce: envelope.nonce - 1 };
      },
    ],
    [
      'trailingZeros',
      async (alice) => {
        const action = resting();
        const [only] = action['orders'] as JsonObject[];
        const orders = [{ ...only, s: `${String(only?.['s'])}0` }];
        return (await alice.sign({ ...action, orders }, packed(action))).envelope;
      },
    ],
    [
      'addressCase',
      async (alice) => {
        const built = (b: string): JsonObject => resting({ builder: { b, f: 1 } });
        return (await alice.sign(built(alice.address), packed(built(getAddress(alice.address)))))
          .envelope;
      },
    ],
    [
      'vParity',
      async (alice) => {
        const { envelope } = await alice.sign(harmless());
        const { signature } = envelope;
        return { ...envelope, signature: { ...signature, v: 55 - signature.v } };
      },
    ],
    [
      'directSignedAsAgent',
      async (alice) => {
        const nonce = nextNonce();
        const agentAddress = world.unfunded('agent').address;
        return (await alice.sign(approveAgentAction({ agentAddress, nonce }), { nonce })).envelope;
      },
    ],
    [
      'agentSignedAsDirect',
      async (alice) => {
        const [action, nonce] = [harmless(), nextNonce()];
        const connectionId = keccak256(agentPreimage(action, { nonce }));
        const domain = domainOf(TESTNET, SETTLEMENT_CHAIN);
        const typed = typedBytes(domain, AGENT_TYPES, 'Agent', { ...TESTNET, connectionId });
        const signature = await signDigest(alice.key, keccak256(typed));
        return { action, nonce, signature };
      },
    ],
    [
      'expiresAfter',
      async (alice) => {
        const { envelope } = await alice.sign(harmless());
        return { ...envelope, expiresAfter: envelope.nonce + 60_000 };
      },
    ],
  ];

  test.each(mistakes)('explainSignature names the mistake: %s', async (mistake, make) => {
    const alice = await world.trader('alice');
    const envelope = await make(alice);
    const data = await explain(envelope);
    expectShape(data, shape);
    expect(data).toMatchObject({ role: 'none', owner: null, agentName: null });
    const { r, s, v } = envelope.signature;
    const signature = { r: r as Hex, s: s as Hex, v: BigInt(v) };
    const recovered = await recoverAddress({ hash: data.digest, signature });
    expect(data.signer).toBe(recovered.toLowerCase());
    const { match, tried } = data;
    const { address: signer } = alice;
    expect(match).toMatchObject({ mistake, signer, role: 'account', owner: null });
    expect(match.hint).toMatch(/^[A-Z].+\.$/);
    const { variant } = match;
    expect(tried.at(-1)).toEqual({ mistake, variant, signer, role: 'account' });
    // /exchange must recover the same unknown address.
    const refused = await world.client.exchange(envelope);
    expect(refused.json, refused.text).toMatchObject({
      code: 10006,
      details: { got: data.signer },
    });
  });

  test('explainSignature detects that the registered vault was signed but not sent', async () => {
    const alice = await world.trader('alice');
    const vault = world.unfunded('vault').address;
    succeeded(
      await operator.send({ registerVault: { vault, leader: alice.address, name: 'one' } }),
    );
    const { envelope } = await alice.sign(harmless(), { vaultAddress: vault });
    expect(await explain(envelope)).toMatchObject({ role: 'account' });
    const { match } = await explain({ ...envelope, vaultAddress: null });
    expect(match).toMatchObject({ mistake: 'vaultFlag', signer: alice.address });
    expect(match.hint).toContain(vault);
  });

  test('explainSignature detects the chain id actually signed if a direct action announces another', async () => {
    const alice = await world.trader('alice');
    const agentAddress = world.unfunded('agent').address;
    const options = { agentAddress, nonce: nextNonce(), signatureChainId: SETTLEMENT_CHAIN };
    const { envelope } = await signApproveAgent(alice.key, options);
    const { match } = await explain({ ...envelope, signatureChainId: null });
    expect(match).toMatchObject({ mistake: 'chainId', signer: alice.address, role: 'account' });
  });

  test('explainSignature uses the address the client expects if the recovered address is unknown', async () => {
    const outsider = world.unfunded('stranger');
    const { envelope } = await outsider.sign(harmless());
    const wrong = { ...envelope, nonce: envelope.nonce + 1 };
    expect(await explain(wrong)).toMatchObject({ role: 'none', match: null });
    const { match } = await explain(wrong, { expect: outsider.address });
    expect(match).toMatchObject({
      mistake: 'nonce',
      signer: outsider.address,
      role: 'expected',
      owner: null,
    });
  });

  test("explainSignature returns an agent's mistake together with the owner", async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    const { envelope } = await agent.sign(harmless());
    const { match } = await explain({ ...envelope, nonce: envelope.nonce - 1 });
    expect(match).toMatchObject({ mistake: 'nonce', role: 'agent', owner: alice.address });
  });
});

describe('explainSignature rejects invalid queries', () => {
  test('explainSignature rejects a malformed envelope with the same text as /exchange', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign(harmless());
    const { signature, ...unsigned } = envelope;
    const { nonce: _nonce, ...timeless } = envelope;
    const malformed: object[] = [
      {},
      unsigned,
      timeless,
      { ...envelope, nonce: -1 },
      { ...envelope, signature: { ...signature, r: 'zz' } },
      { ...envelope, vaultAddress: '0x1' },
      { ...envelope, action: { type: 'cancel', cancels: [] } },
      { ...envelope, action: { cancels: [] } },
    ];
    for (const each of malformed) {
      const asked = await world.client.info({ type: 'explainSignature', envelope: each });
      const sent = await world.client.post('/exchange', each);
      expect([asked.status, asked.json.code], asked.text).toEqual([400, 10002]);
      expect(asked.json).toMatchObject({ success: false, message: sent.json.message });
      expect(asked.json).not.toHaveProperty('data');
    }
  });

  test('explainSignature rejects a missing envelope, a missing expected address and a non-integer number', async () => {
    const { envelope } = await world.unfunded('alice').sign(harmless());
    const bodies = [
      { type: 'explainSignature' },
      { type: 'explainSignature', envelope: [] },
      { type: 'explainSignature', envelope, expect: 'me' },
      JSON.stringify({ type: 'explainSignature', envelope }).replace('"o":1', '"o":1.0'),
    ];
    for (const body of bodies) {
      const reply = await world.client.post('/info', body);
      expect([reply.status, reply.json.code], reply.text).toEqual([400, 10002]);
    }
  });

  test('explainSignature rejects an unknown action type', async () => {
    const { envelope } = await world.unfunded('alice').sign({ type: 'nonsense' });
    const reply = await world.client.info({ type: 'explainSignature', envelope });
    expect([reply.status, reply.json.code], reply.text).toEqual([200, 10001]);
  });
});

test('explainSignature keeps integer-like keys in the action in their original positions', async () => {
  const signature = JSON.stringify({ r: '0x1', s: '0x1', v: 27 });
  const action = '{"type":"cancelAll","10":"ten","7":"seven"}';
  const envelope = `{"action":${action},"nonce":1,"signature":${signature}}`;
  const reply = await world.client.post(
    '/info',
    `{"type":"explainSignature","envelope":${envelope}}`,
  );
  expect(reply.json.data.msgpack).toBe(
    '0x83a474797065a963616e63656c416c6ca23130a374656ea137a5736576656e',
  );
});
