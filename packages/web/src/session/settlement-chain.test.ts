import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  fromMicro,
  joinChain,
  sendDeposit,
  toMicro,
  usdcOf,
  type Chain,
} from './settlement-chain.ts';

const FROM = `0x${'a1'.repeat(20)}` as Hex;
const BRIDGE = `0x${'b2'.repeat(20)}` as Hex;
const TOKEN = `0x${'c3'.repeat(20)}` as Hex;
const chain: Chain = {
  settlement_rpc_url: null,
  settlement_chain_id: 421_614,
  bridge2_contract_address: BRIDGE,
  usdc_contract_address: TOKEN,
};
const abi = parseAbi([
  'function balanceOf(address)',
  'function allowance(address, address)',
  'function approve(address, uint256)',
  'function deposit(uint64)',
]);

type Call = { readonly method: string; readonly params?: unknown[] };

/** Returns a wallet that records its calls. */
function wallet(answers: Readonly<Record<string, unknown>>) {
  const calls: Call[] = [];
  return {
    calls,
    request: async (call: Call): Promise<unknown> => {
      calls.push(call);
      const answer = answers[call.method];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

describe('calls to the settlement chain are encoded as its contracts require', () => {
  test('the balance is queried from the token contract in the encoding it requires', async () => {
    const asked = wallet({ eth_call: '0x2faf080' });
    expect(await usdcOf(chain, FROM, asked)).toBe('50');
    const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [FROM] });
    expect(asked.calls[0]?.params).toEqual([{ to: TOKEN, data }, 'latest']);
  });

  test('a deposit is approved and sent, and a sufficient approval is not repeated', async () => {
    const bare = wallet({
      eth_chainId: '0x66eee',
      eth_call: '0x0',
      eth_sendTransaction: '0x1234',
      eth_getTransactionReceipt: { status: '0x1' },
    });
    const order = { from: FROM, usd: 7_000_000n, onApproved: () => undefined };
    expect(await sendDeposit(bare, chain, order)).toBe('0x1234');
    const sent = bare.calls.filter(({ method }) => method === 'eth_sendTransaction');
    const approve = encodeFunctionData({
      abi,
      functionName: 'approve',
      args: [BRIDGE, 7_000_000n],
    });
    const deposit = encodeFunctionData({ abi, functionName: 'deposit', args: [7_000_000n] });
    expect(sent.map(({ params }) => params?.[0])).toEqual([
      { from: FROM, to: TOKEN, data: approve },
      { from: FROM, to: BRIDGE, data: deposit },
    ]);

    const approved = wallet({
      eth_chainId: '0x66eee',
      eth_call: '0x7a1200',
      eth_sendTransaction: '0x1234',
    });
    await sendDeposit(approved, chain, order);
    expect(approved.calls.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
    const allowance = encodeFunctionData({ abi, functionName: 'allowance', args: [FROM, BRIDGE] });
    expect(approved.calls[1]?.params?.[0]).toEqual({ to: TOKEN, data: allowance });
  });

  test('a wallet on another chain is switched to the settlement chain, which is added if it is unknown', async () => {
    const unknown = Object.assign(new Error('Unrecognized chain'), { code: 4_902 });
    const elsewhere = wallet({ eth_chainId: '0x1', wallet_switchEthereumChain: unknown });
    const named = { ...chain, settlement_rpc_url: 'http://127.0.0.1:8693' };
    await joinChain(elsewhere, named);
    expect(elsewhere.calls.at(-1)).toMatchObject({
      method: 'wallet_addEthereumChain',
      params: [
        { chainId: '0x66eee', chainName: 'Local chain', rpcUrls: ['http://127.0.0.1:8693'] },
      ],
    });
    const refused = Object.assign(new Error('No'), { code: 4_001 });
    const stubborn = wallet({ eth_chainId: '0x1', wallet_switchEthereumChain: refused });
    await expect(joinChain(stubborn, named)).rejects.toBe(refused);
  });
});

test('amounts are converted to and from micro-USDC', () => {
  expect(toMicro('250.5')).toBe(250_500_000n);
  expect(fromMicro('5000000')).toBe('5');
});
