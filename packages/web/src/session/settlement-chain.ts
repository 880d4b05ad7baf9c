import type { Eip1193Provider, Settings } from '@oddlot/sdk';
import { multiply } from '../lib/decimal.ts';
import { words } from '../lib/words.ts';

/**
 * Calls are encoded without a library, because a library would be larger than all the page's other
 * code.
 */

const ZERO = /^0x0*$/;
const SELECTORS = {
  balanceOf: '70a08231',
  nonces: '7ecebe00',
  allowance: 'dd62ed3e',
  approve: '095ea7b3',
  deposit: '13765838',
} as const;
const WORD_DIGITS = 64;
const POLL_MS = 500;
const RECEIPT_MS_MAX = 120_000;
const ANSWER_MS_MAX = 20_000;
const UNKNOWN_CHAIN = 4_902;

export type Chain = Pick<
  Settings,
  | 'settlement_rpc_url'
  | 'settlement_chain_id'
  | 'usdc_contract_address'
  | 'bridge2_contract_address'
>;

const NAMES: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  42_161: 'Arbitrum One',
  421_614: 'Arbitrum Sepolia',
};
const OWN_MACHINE = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]?/;

/** Returns the name of a chain. A local chain has the id of another network, but not its name. */
export function chainName({ settlement_chain_id: id, settlement_rpc_url: url }: Chain): string {
  if (url !== null && OWN_MACHINE.test(url)) return words.t('wallet.localChain');
  return NAMES[id] ?? words.t('wallet.chainOf', { id });
}

export function hasChain(chain: Chain): boolean {
  return !ZERO.test(chain.bridge2_contract_address);
}

export function toMicro(amount: string): bigint {
  return BigInt(multiply(amount, '1000000'));
}

export function fromMicro(micro: string): string {
  return multiply(micro, '0.000001');
}

export async function usdcOf(chain: Chain, owner: string, wallet?: Eip1193Provider) {
  const data = encode('balanceOf', owner);
  return fromMicro(String(await read(chain, chain.usdc_contract_address, data, wallet)));
}

export async function permitNonce(chain: Chain, owner: string, wallet?: Eip1193Provider) {
  return Number(await read(chain, chain.usdc_contract_address, encode('nonces', owner), wallet));
}

export async function joinChain(wallet: Eip1193Provider, chain: Chain): Promise<void> {
  const chainId = `0x${chain.settlement_chain_id.toString(16)}`;
  const current = await wallet.request({ method: 'eth_chainId' });
  if (Number(current) === chain.settlement_chain_id) return;
  try {
    await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if ((error as { code?: number }).code !== UNKNOWN_CHAIN) throw error;
    if (chain.settlement_rpc_url === null) throw error;
    const added = {
      chainId,
      chainName: chainName(chain),
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: [chain.settlement_rpc_url],
    };
    await wallet.request({ method: 'wallet_addEthereumChain', params: [added] });
  }
}

/** Deposits USDC and returns the hash of the deposit transaction, which may still be pending. */
export async function sendDeposit(
  wallet: Eip1193Provider,
  chain: Chain,
  { from, usd, onApproved }: { from: string; usd: bigint; onApproved: () => void },
): Promise<string> {
  await joinChain(wallet, chain);
  const { bridge2_contract_address: bridge, usdc_contract_address: token } = chain;
  const approved = await read(chain, token, encode('allowance', from, bridge), wallet);
  if (approved < usd) {
    const data = encode('approve', bridge, usd);
    const hash = await wallet.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: token, data }],
    });
    await mined(chain, String(hash), wallet);
  }
  onApproved();
  const params = [{ from, to: bridge, data: encode('deposit', usd) }];
  return String(await wallet.request({ method: 'eth_sendTransaction', params }));
}

async function mined(chain: Chain, hash: string, wallet: Eip1193Provider): Promise<void> {
  const deadline = Date.now() + RECEIPT_MS_MAX;
  while (Date.now() < deadline) {
    const receipt = await call(chain, 'eth_getTransactionReceipt', [hash], wallet);
    const { status } = (receipt ?? {}) as { status?: string };
    if (status !== undefined && Number(status) === 1) return;
    if (status !== undefined) throw new Error('The token contract rejected the approval');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('The approval is not confirmed yet. Try again shortly');
}

async function read(
  chain: Chain,
  to: string,
  data: string,
  wallet: Eip1193Provider | undefined,
): Promise<bigint> {
  return BigInt(String(await call(chain, 'eth_call', [{ to, data }, 'latest'], wallet)));
}

async function call(
  { settlement_rpc_url: url }: Chain,
  method: string,
  params: unknown[],
  wallet: Eip1193Provider | undefined,
): Promise<unknown> {
  if (url === null) {
    if (wallet === undefined) throw new Error('No connection to the settlement chain');
    return wallet.request({ method, params });
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const { error, result } = (await response.json()) as {
    result?: unknown;
    error?: { message: string };
  };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

function encode(name: keyof typeof SELECTORS, ...values: readonly (string | bigint)[]): string {
  const parts = values.map((value) =>
    (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(
      WORD_DIGITS,
      '0',
    ),
  );
  return `0x${SELECTORS[name]}${parts.join('')}`;
}
