import { describe, expect, test } from 'vitest';
import { bytesToHex, NETWORKS, nobleKeccak, recoverSigner } from '../index.ts';
import { createHyperliquidHasher, isUserSigned } from './hash-request.ts';
import {
  bodyOfRequest,
  isHyperliquidRequest,
  markHyperliquid,
  readHyperliquidRequest,
} from './request.ts';

/**
 * The tests compare with the signatures of Hyperliquid's clients: bodies signed by ccxt 4.5.84 in
 * sandbox mode, in its key order, and the published values from hyperliquid-python-sdk. The tests
 * in packages/api and packages/audit use `@nktkas/hyperliquid` to sign.
 */

const CCXT_SIGNER = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const CCXT = [
  '{"action":{"hyperliquidChain":"Testnet","signatureChainId":"0x66eee","maxFeeRate":"0%","builder":"0x6530512A6c89C7cfCEbC3BA7fcD9aDa5f30827a6","nonce":1800000000123,"type":"approveBuilderFee"},"nonce":1800000000123,"signature":{"r":"0x471ee23622a7eb087fc6e6619d5e2ecb61efac3bd2bc938083df815dff3174e5","s":"0x28701cee7d74f29c6f2fdeb51f2f09043541c185a1c518bd0797e4fbe5e07722","v":28}}',
  '{"action":{"type":"order","orders":[{"a":1,"b":true,"p":"100","s":"0.5","r":false,"t":{"limit":{"tif":"Gtc"}},"c":"0xabababababababababababababababab"}],"grouping":"na"},"nonce":1800000000124,"signature":{"r":"0x96cf066002227f00480a9c0961d2bf17a0ce27fe1ee03c2ef1c47a28e946a716","s":"0x5505faa56c82c746a582d1dfbf91692c7e37fe9551f763a43ed5d5e0ff9a37a9","v":28}}',
  '{"action":{"type":"order","orders":[{"a":1,"b":false,"p":"100","s":"0.5","r":true,"t":{"trigger":{"isMarket":false,"triggerPx":"90","tpsl":"sl"}}}],"grouping":"na"},"nonce":1800000000126,"signature":{"r":"0xe4a594bc2b0a48eae739d4200f542ccfc2d253420c3835a8d9770bd2adfa57a5","s":"0x29f906ddf0ddae49cab97e8878371628212407d05f512a6c64d08e4e1c892194","v":28}}',
  '{"nonce":1800000000128,"action":{"type":"cancel","cancels":[{"a":1,"o":7}]},"signature":{"r":"0x5dab0a9446637e2231873346c35070f67505026a1ea4e079d7448fed456592cc","s":"0x5411e3feb3070415eae47a5f6aaf21f19b4431f003d4053eb72ba97fc1a4ccc8","v":27}}',
  '{"action":{"type":"batchModify","modifies":[{"oid":7,"order":{"a":1,"b":true,"p":"101","s":"0.4","r":false,"t":{"limit":{"tif":"Gtc"}}}}]},"nonce":1800000000130,"signature":{"r":"0x5e451e1b6bbb528a9c5b9bdbbb04b012d85a04d40718731b843a753de517bf6c","s":"0x41ff20200b8fc9ff8d6a346ae4b16d6a3e46532859183ee6abbca3d4d53af700","v":27}}',
  '{"action":{"type":"updateLeverage","asset":1,"isCross":false,"leverage":5},"nonce":1800000000131,"signature":{"r":"0x2e7dc2951f868b7bb80fe6939e75cc5236e5aacc56db5278ae234ac06fe34ca8","s":"0x280fc8f6a3e94152dd26ab0326936a41d75a666f9bf3273ded467f345343796d","v":28}}',
  '{"action":{"hyperliquidChain":"Testnet","signatureChainId":"0x66eee","destination":"0x4444444444444444444444444444444444444444","amount":"2","time":1800000000133,"type":"withdraw3"},"nonce":1800000000133,"signature":{"r":"0x7957bb3029f28b9c70a0de19f29538abd59867fda267be564a649b9a54572696","s":"0x2f01144b13375ddb1e948c61e7ba059197c58ede741b0b443c463480331aa7d4","v":27}}',
];

const PYTHON_SIGNER = '0x14791697260e4c9a71f18484c9f997b308e59325';
const PYTHON_ORDER =
  '{"type":"order","orders":[{"a":1,"b":true,"p":"100","s":"100","r":false,' +
  '"t":{"limit":{"tif":"Gtc"}},"c":"0x00000000000000000000000000000001"}],"grouping":"na"}';
const PYTHON_SEND =
  '{"type":"usdSend","destination":"0x5e9ee1089755c3435139848e47e6635505d5a13a","amount":"1",' +
  '"time":1687816341423,"signatureChainId":"0x66eee","hyperliquidChain":"Testnet"}';
const PYTHON = [
  {
    source: 'b',
    body: bodyWith(PYTHON_ORDER, 0, {
      r: '0xeba0664bed2676fc4e5a743bf89e5c7501aa6d870bdb9446e122c9466c5cd16d',
      s: '0x7f3e74825c9114bc59086f1eebea2928c190fdfbfde144827cb02b85bbe90988',
      v: 28,
    }),
  },
  {
    source: 'a',
    body: bodyWith(PYTHON_ORDER, 0, {
      r: '0x41ae18e8239a56cacbc5dad94d45d0b747e5da11ad564077fcac71277a946e3',
      s: '0x3c61f667e747404fe7eea8f90ab0e76cc12ce60270438b2058324681a00116da',
      v: 27,
    }),
  },
  {
    source: 'b',
    body: bodyWith(PYTHON_SEND, 1687816341423, {
      r: '0x637b37dd731507cdd24f46532ca8ba6eec616952c56218baeff04144e4a77073',
      s: '0x11a6a24900e6e314136d2592e2f8d502cd89b7c15b198e1bee043c9589f9fad7',
      v: 27,
    }),
  },
] as const;

function bodyWith(action: string, nonce: number, signature: object): string {
  return `{"action":${action},"nonce":${nonce},"signature":${JSON.stringify(signature)}}`;
}

const hash = createHyperliquidHasher(nobleKeccak);
const read = (body: string) => readHyperliquidRequest(markHyperliquid(body), NETWORKS.testnet);

function signerOf(body: string, source: 'a' | 'b' = 'b'): string | undefined {
  const result = read(body);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  const { envelope, received } = result.request;
  const { digest } = hash({ ...result.request, action: received }, source);
  return recoverSigner(digest, envelope.signature);
}

const why = (body: string): string => {
  const result = read(body);
  return result.ok ? '' : (result.error.details?.why ?? result.error.message);
};

describe('the signer of a Hyperliquid request is recovered', () => {
  test.each(CCXT)('the signer of a request of ccxt is recovered: %s', (body) => {
    expect(signerOf(body)).toBe(CCXT_SIGNER);
    // Every signature covers the network: user-signed actions have it in the action itself, and
    // others in `source`.
    const { action } = JSON.parse(body);
    expect(signerOf(body, 'a') === CCXT_SIGNER).toBe(isUserSigned(action.type));
  });

  test.each(PYTHON)(
    'the signer of a request of the Python client for network $source is recovered',
    ({ body, source }) => {
      expect(signerOf(body, source)).toBe(PYTHON_SIGNER);
    },
  );

  test('a change to any signed part of a request changes the recovered signer', () => {
    const [order = ''] = CCXT.filter((body) => body.includes('"c":'));
    const changed = [
      order.replace('"p":"100"', '"p":"101"'),
      order.replace(/"nonce":\d+/, '"nonce":5'),
      order.replace('{"action"', `{"vaultAddress":"0x${'44'.repeat(20)}","action"`),
      order.replace('{"action"', '{"expiresAfter":1900000000000,"action"'),
      order.replace('"a":1,"b":true', '"b":true,"a":1'),
      order.replace('"grouping":"na"', '"grouping":"na","x":1'),
    ];
    for (const body of changed) {
      expect(body).not.toBe(order);
      expect(signerOf(body)).not.toBe(CCXT_SIGNER);
    }
  });
});

describe('a Hyperliquid request is marked in the log', () => {
  const [body = ''] = CCXT;

  test('a logged request includes the body as received', () => {
    const text = markHyperliquid(body);
    expect(bodyOfRequest(text)).toEqual(JSON.parse(body));
    expect(bodyOfRequest(body)).toEqual(JSON.parse(body));
  });

  test.each<[string, boolean]>([
    ['{"hyperliquid":{}}', true],
    [' {\n"hyperliquid"\t: 1}', true],
    ['{"action":{},"hyperliquid":{}}', false],
    ['{"hyperliquidChain":1}', false],
    ['["hyperliquid"]', false],
  ])('isHyperliquidRequest of %j is %s', (text, expected) => {
    expect(isHyperliquidRequest(text)).toBe(expected);
  });

  test('a logged request is accepted only on the shared test-funds network', () => {
    const own = { ...NETWORKS.testnet, serviceNetwork: 'example.org-3fa9c1d2' };
    for (const network of [own, NETWORKS.mainnet]) {
      const result = readHyperliquidRequest(markHyperliquid(body), network);
      expect(result).toMatchObject({ ok: false, error: { name: 'NOT_ALLOWED' } });
    }
    expect(read(body).ok).toBe(true);
  });
});

describe('an invalid Hyperliquid request is refused', () => {
  const signature = { r: '0x1', s: '0x1', v: 27 };
  const of = (action: object, more: object = {}) =>
    JSON.stringify({ action, nonce: 1, signature, ...more });
  const agent = {
    type: 'approveAgent',
    signatureChainId: '0x66eee',
    hyperliquidChain: 'Testnet',
    agentAddress: `0x${'66'.repeat(20)}`,
    nonce: 1,
  };

  test.each<[string, string, string]>([
    ['for the mainnet', of({ ...agent, hyperliquidChain: 'Mainnet' }), 'isTestnet: true'],
    ['with another nonce', of({ ...agent, nonce: 2 }), 'must equal the nonce'],
    ['for a vault that it does not sign', of(agent, { vaultAddress: agent.agentAddress }), 'vault'],
    ['of an action that the venue lacks', of({ type: 'twapOrder' }), 'no TWAP orders'],
    ['of an unknown action', of({ type: 'cancell' }), 'did you mean cancel?'],
    ['without a type', of({}), 'Missing field: type'],
    ['with a wrong field', of({ ...agent, agentAddress: '0x1' }), 'agentAddress'],
    ['without a signature', JSON.stringify({ action: agent, nonce: 1 }), 'signature'],
  ])('a Hyperliquid request %s is refused with the reason', (_, body, reason) => {
    expect(why(body)).toContain(reason);
  });
});

test('the digest of a Hyperliquid request is the hash of its signed bytes', () => {
  const [body = ''] = CCXT;
  const result = read(body);
  if (!result.ok) throw new Error('not read');
  const { digest, signed } = hash({ ...result.request, action: result.request.received }, 'b');
  expect(bytesToHex(nobleKeccak(signed))).toBe(bytesToHex(digest));
  expect(bytesToHex(signed.subarray(0, 2))).toBe('0x1901');
  expect(signed).toHaveLength(66);
});
