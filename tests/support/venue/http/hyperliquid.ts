import { ExchangeClient } from '@nktkas/hyperliquid';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestKey } from './client.ts';

/** Signs and sends requests like an unmodified Hyperliquid client library. */

type Options = {
  readonly key: TestKey;
  readonly nonce: number;
  /** False for a client in testnet mode, which is the default. */
  readonly isMainnet?: boolean;
};

/** Returns the body that the client would post for one call. */
export async function hyperliquidBody(
  { isMainnet = false, key, nonce }: Options,
  call: (client: ExchangeClient) => Promise<unknown>,
): Promise<string> {
  let body: string | undefined;
  const transport = {
    isTestnet: !isMainnet,
    request: (_endpoint: string, payload: unknown) => {
      body = JSON.stringify(payload);
      return Promise.reject(new Error('captured'));
    },
  };
  const client = new ExchangeClient({
    transport: transport as never,
    wallet: privateKeyToAccount(`0x${Buffer.from(key.privateKey).toString('hex')}`),
    signatureChainId: '0x66eee',
    nonceManager: () => nonce,
  });
  await call(client).catch((error: unknown) => {
    if (body === undefined) throw error;
  });
  if (body === undefined) throw new Error('the client sent nothing');
  return body;
}
