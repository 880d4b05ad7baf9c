import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PrivateKeyAccount,
  type PublicClient,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Json } from './client.ts';

export async function post(url: string, path: string, body: object): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const text = JSON.stringify(body);
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: text });
  return { status: response.status, ...((await response.json()) as object) };
}

export type SignedPermit = {
  readonly type: 'depositWithPermit';
  readonly user: string;
  readonly usd: string;
  readonly deadline: string;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: number };
};

export type Wallet = {
  transfer(to: Hex, amount: bigint): Promise<Hex>;
  approve(amount: bigint): Promise<Hex>;
  deposit(amount: bigint): Promise<Hex>;
  depositFor(user: Hex, amount: bigint): Promise<Hex>;
  permit(usd: bigint, deadline: bigint, nonce?: bigint): Promise<SignedPermit>;
  /** Sends a permit to the bridge directly, as any address may do. */
  usePermit(permit: SignedPermit): Promise<Hex>;
  /** Pauses or resumes the bridge with the guardian's key. */
  pause(isPaused: boolean): Promise<Hex>;
};

export type Chain = {
  readonly bridge: Hex;
  readonly token: Hex;
  readonly reader: PublicClient;
  balanceOf(owner: Hex): Promise<bigint>;
  wallet(account: PrivateKeyAccount): Wallet;
};

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;

export async function chainOf(url: string): Promise<Chain> {
  const { data } = await post(url, '/info', { type: 'settings' });
  return chainAt({
    id: data.settlement_chain_id as number,
    rpcUrl: data.settlement_rpc_url as string,
    bridge: data.bridge2_contract_address as Hex,
    token: data.usdc_contract_address as Hex,
  });
}

export function chainAt(place: {
  readonly id: number;
  readonly rpcUrl: string;
  readonly bridge: Hex;
  readonly token: Hex;
}): Chain {
  const { bridge, id, rpcUrl, token } = place;
  const chain = defineChain({
    id,
    name: 'chain',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const usdc = { address: token, abi: TEST_USDC_ABI } as const;
  const at = { address: bridge, abi: BRIDGE_ABI } as const;
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 });
  const reader = client as unknown as PublicClient;
  const read = (functionName: 'balanceOf' | 'nonces', owner: Hex): Promise<bigint> =>
    reader.readContract({ ...usdc, functionName, args: [owner] });
  const wallet = (account: PrivateKeyAccount): Wallet => {
    const sender = createWalletClient({ account, chain, transport: http() });
    const mined = async (sent: Promise<Hex>): Promise<Hex> => {
      const hash = await sent;
      await reader.waitForTransactionReceipt({ hash });
      return hash;
    };
    return {
      transfer: (to, amount) =>
        mined(sender.writeContract({ ...usdc, functionName: 'transfer', args: [to, amount] })),
      approve: (amount) =>
        mined(sender.writeContract({ ...usdc, functionName: 'approve', args: [bridge, amount] })),
      deposit: (amount) =>
        mined(sender.writeContract({ ...at, functionName: 'deposit', args: [amount] })),
      depositFor: (user, amount) =>
        mined(sender.writeContract({ ...at, functionName: 'depositFor', args: [user, amount] })),
      async permit(usd, deadline, nonce) {
        const signature = await account.signTypedData({
          domain: { name: 'USD Coin', version: '2', chainId: chain.id, verifyingContract: token },
          types: { Permit: PERMIT },
          primaryType: 'Permit',
          message: {
            owner: account.address,
            spender: bridge,
            value: usd,
            nonce: nonce ?? (await read('nonces', account.address)),
            deadline,
          },
        });
        return {
          type: 'depositWithPermit',
          user: account.address.toLowerCase(),
          usd: String(usd),
          deadline: String(deadline),
          signature: {
            r: signature.slice(0, 66) as Hex,
            s: `0x${signature.slice(66, 130)}`,
            v: Number.parseInt(signature.slice(130), 16),
          },
        };
      },
      pause: (isPaused) =>
        mined(sender.writeContract({ ...at, functionName: isPaused ? 'pause' : 'unpause' })),
      usePermit({ deadline, signature, usd, user }) {
        const { r, s, v } = signature;
        const parts = { r: BigInt(r), s: BigInt(s), v };
        const item = { user: user as Hex, usd: BigInt(usd), deadline: BigInt(deadline) };
        const args = [[{ ...item, signature: parts }]] as const;
        const call = { ...at, functionName: 'batchedDepositWithPermit', args } as const;
        return mined(sender.writeContract({ ...call, gas: 700_000n }));
      },
    };
  };
  return { bridge, token, reader, balanceOf: (owner) => read('balanceOf', owner), wallet };
}

/** Creates a key and funds it with USDC and ether from the venue's on-chain faucet. */
export async function fundedOnChain(url: string): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  const answer = await post(url, '/request-fund', { user: account.address, onChain: true });
  if (answer['success'] !== true) throw new Error('the faucet gave nothing on the chain');
  return account;
}
