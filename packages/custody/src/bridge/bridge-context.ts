import type { Hex } from 'viem';
import type { ChainClient } from '../chain/chain-client.ts';
import { connect } from './bridge-chain.ts';
import type { BridgeOptions } from './bridge-options.ts';
import { type Sent, sendTransaction } from './send-transaction.ts';

/** What a command works with. */
export type BridgeContext = {
  readonly options: BridgeOptions;
  readonly print: (line: string) => void;
  /** Takes what people should know and programs that read the output should not. */
  readonly warn: (line: string) => void;
};

export type BridgeCommand = (context: BridgeContext) => Promise<void>;

export async function clientOf({ options }: BridgeContext): Promise<ChainClient> {
  const isTold = options.text('chain-id') !== undefined;
  const chainId = isTold ? { chainId: options.whole('chain-id') } : {};
  return connect(options.rpc, { ...chainId, confirmations: options.whole('confirmations') });
}

/** Sends with the key of `--key`. */
export async function send(
  { options, print }: BridgeContext,
  client: ChainClient,
  call: { readonly to?: Hex; readonly data: Hex },
): Promise<Sent> {
  const waitMs = 1_000 * options.whole('wait-seconds');
  return await sendTransaction(call, { client, key: options.key(), waitMs, print });
}
