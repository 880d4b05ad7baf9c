import { TEST_USDC_ABI } from '@oddlot/contracts';
import { encodeFunctionData, type Hex } from 'viem';
import { readPermitDomain, readPermitState } from '../bridge-contract/permit.ts';
import type { ChainClient } from '../chain/chain-client.ts';
import { chainFault } from '../chain/endpoints.ts';
import { BridgeCommandError, connect, sendTransaction } from './bridge-chain.ts';

type DepositorOptions = {
  readonly rpc: string;
  /** The expected chain id. Endpoints for another chain are rejected. */
  readonly chainId: number;
  readonly bridge: string;
  readonly token: string;
};

/** The balance of an account, and the data for its permit. */
type Holding = {
  readonly microUsdc: bigint;
  readonly nonce: number;
  /** The fields of the token's domain that are part of a permit hash. */
  readonly name: string;
  readonly version: string;
};

/** Thrown if nothing was sent; the message gives the reason. */
export class DepositError extends Error {
  override readonly name = 'DepositError';
  /** True if the chain did not respond; false if it would reject the deposit. */
  readonly isSilent: boolean;

  constructor(message: string, isSilent: boolean, cause?: unknown) {
    super(message, { cause });
    this.isSilent = isSilent;
  }
}

const CONFIRMATIONS = 1;

/** A user who deposits into a bridge, and who has read access to the chain. */
export class Depositor {
  readonly #client: ChainClient;
  readonly #bridge: Hex;
  readonly #token: Hex;

  private constructor(client: ChainClient, { bridge, token }: DepositorOptions) {
    this.#client = client;
    this.#bridge = bridge as Hex;
    this.#token = token as Hex;
  }

  static async connect(options: DepositorOptions): Promise<Depositor> {
    const { chainId, rpc } = options;
    const client = await asked(connect([rpc], { chainId, confirmations: CONFIRMATIONS }));
    return new Depositor(client, options);
  }

  async holding(user: string): Promise<Holding> {
    const contracts = { bridge: this.#bridge, token: this.#token };
    const { balance, nonce } = await asked(readPermitState(this.#client, contracts, user as Hex));
    const { name, version } = await asked(readPermitDomain(this.#client, this.#token));
    return { microUsdc: balance, nonce: Number(nonce), name, version };
  }

  /** Sends USDC to the bridge, waits until the transaction is in a block, and returns its hash. */
  async transfer(
    microUsdc: bigint,
    how: {
      readonly key: string;
      readonly waitMs: number;
      readonly print: (line: string) => void;
    },
  ): Promise<string> {
    const args = [this.#bridge, microUsdc] as const;
    const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'transfer', args });
    const { key, print, waitMs } = how;
    const options = { client: this.#client, key: key as Hex, waitMs, print };
    const { receipt } = await asked(sendTransaction({ to: this.#token, data }, options));
    return receipt.txHash;
  }
}

/**
 * Converts errors so that a rejection by the chain can be distinguished from a missing response.
 */
async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new DepositError(chainFault(error), !(error instanceof BridgeCommandError), error);
  }
}
