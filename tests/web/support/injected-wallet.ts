import type { BrowserContext } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { signAsSent } from '../../support/sdk/sign-as-sent.ts';

/** A request from the page to a wallet. */
export type WalletAsked = { readonly method: string; readonly params: readonly unknown[] };

export type InjectedWallet = {
  /** The address in lower case. */
  readonly address: string;
  /** All requests, oldest first. */
  readonly asked: WalletAsked[];
  /** How the owner responds to subsequent requests. The default is yes. */
  answer: 'yes' | 'no';
  /** Adds the wallet to every page of a context. */
  inject(context: BrowserContext): Promise<void>;
};

/** The id of the local settlement chain. The wallet reports it in hexadecimal. */
const CHAIN_ID = 421_614;
const USER_REJECTED = 4_001;
const UNSUPPORTED = 4_200;
/** Forwards unknown methods to an endpoint of the settlement chain. */
type Forward = (method: string, params: readonly unknown[]) => Promise<unknown>;

/**
 * Returns a browser wallet that announces itself (EIP-6963) and signs with a key that is never in a
 * page.
 */
export function injectedWallet(key: `0x${string}`, forward?: Forward): InjectedWallet {
  const account = privateKeyToAccount(key);
  const wallet: InjectedWallet = {
    address: account.address.toLowerCase(),
    asked: [],
    answer: 'yes',
    async inject(context) {
      await context.exposeFunction(
        'askInjectedWallet',
        async (method: string, params: unknown[]) => {
          wallet.asked.push({ method, params });
          try {
            return { result: await answerTo(method, params) };
          } catch (error) {
            const { code = -32_603, message } = error as Error & { code?: number };
            return { error: { code, message } };
          }
        },
      );
      await context.addInitScript(announce);
    },
  };

  async function answerTo(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_chainId') return `0x${CHAIN_ID.toString(16)}`;
    if (method === 'eth_accounts') return [account.address];
    if (wallet.answer === 'no') throw refusal(USER_REJECTED, 'User rejected the request.');
    if (method === 'eth_requestAccounts') return [account.address];
    if (method === 'wallet_switchEthereumChain' || method === 'wallet_addEthereumChain')
      return null;
    if (method === 'eth_signTypedData_v4') {
      return signAsSent(account, String(params[1]));
    }
    if (forward !== undefined) return forward(method, params);
    throw refusal(UNSUPPORTED, `The wallet does not know ${method}`);
  }

  return wallet;
}

function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Announces the wallet to the page (EIP-6963). This function runs in the page. */
function announce(): void {
  type Answer = { result?: unknown; error?: { code: number; message: string } };
  const { askInjectedWallet } = globalThis as unknown as {
    askInjectedWallet(method: string, params: unknown[]): Promise<Answer>;
  };
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      const { error, result } = await askInjectedWallet(method, params);
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    on: () => undefined,
    removeListener: () => undefined,
  };
  const info = {
    uuid: '8f2a4c1e-1111-4222-8333-944445555666',
    name: 'Test Wallet <b>',
    icon: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E',
    rdns: 'test.wallet',
  };
  const announceProvider = (): void => {
    const detail = Object.freeze({ info, provider });
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  addEventListener('eip6963:requestProvider', announceProvider);
  announceProvider();
}
