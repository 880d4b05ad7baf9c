import { createBlock } from '@ethereumjs/block';
import { createCustomCommon, Hardfork, Mainnet, type Common } from '@ethereumjs/common';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { createLegacyTx } from '@ethereumjs/tx';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { createVM, runTx, type RunTxResult, type VM } from '@ethereumjs/vm';
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  parseEventLogs,
  type Abi,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import type { Key } from './keys.ts';
import { nativeCrypto } from './native-crypto.ts';

export type DecodedEvent = { readonly name: string; readonly args: Record<string, unknown> };

/**
 * The result of a transaction. A revert is a value rather than an exception, because tests make
 * assertions about reverts.
 */
export type Outcome = {
  readonly ok: boolean;
  /** The decoded error if the contract's ABI defines it; otherwise the EVM's own error. */
  readonly error: string | undefined;
  readonly events: readonly DecodedEvent[];
  readonly gasUsed: bigint;
};

export type Contract = { readonly address: Address; readonly abi: Abi };

const GAS_LIMIT = 30_000_000n;

/** Executes signed transactions in a real EVM without blocks, network or gas costs. */
export class Evm {
  readonly chainId: number;
  /** The block timestamp that contracts see, in seconds. Tests change it. */
  timeSeconds = 1_800_000_000;
  readonly #vm: VM;
  readonly #common: Common;

  private constructor(vm: VM, common: Common, chainId: number) {
    this.#vm = vm;
    this.#common = common;
    this.chainId = chainId;
  }

  /** Uses the oldest hard fork that the contracts support. */
  static async open(chainId = 421_614): Promise<Evm> {
    const options = { hardfork: Hardfork.Cancun, customCrypto: nativeCrypto() };
    const common = createCustomCommon({ chainId }, Mainnet, options);
    const vm = await createVM({ common, stateManager: new SimpleStateManager({ common }) });
    return new Evm(vm, common, chainId);
  }

  async deploy(
    from: Key,
    code: { readonly abi: Abi; readonly bytecode: Hex; readonly args: readonly unknown[] },
  ): Promise<Contract & { readonly gasUsed: bigint }> {
    const result = await this.#run({ from, data: encodeDeployData({ ...code }), gas: GAS_LIMIT });
    if (result.createdAddress === undefined || result.execResult.exceptionError !== undefined) {
      throw new Error(`not deployed: ${errorText(code.abi, result)}`);
    }
    const address = getAddress(result.createdAddress.toString());
    return { address, abi: code.abi, gasUsed: result.totalGasSpent };
  }

  /** Runs a function and then reverts all its effects, including changes to the time. */
  async undone<Result>(run: () => Promise<Result>): Promise<Result> {
    const timeSeconds = this.timeSeconds;
    await this.#vm.stateManager.checkpoint();
    try {
      return await run();
    } finally {
      await this.#vm.stateManager.revert();
      this.timeSeconds = timeSeconds;
    }
  }

  async send(
    from: Key,
    contract: Contract,
    call: {
      readonly name: string;
      readonly args?: readonly unknown[];
      readonly gas?: bigint;
    },
  ): Promise<Outcome> {
    const data = encodeCall(contract, call.name, call.args ?? []);
    const gas = call.gas ?? GAS_LIMIT;
    const result = await this.#run({ from, to: contract.address, data, gas });
    const ok = result.execResult.exceptionError === undefined;
    return {
      ok,
      error: ok ? undefined : errorText(contract.abi, result),
      events: eventsOf(contract, result),
      gasUsed: result.totalGasSpent,
    };
  }

  async read(contract: Contract, name: string, args: readonly unknown[] = []): Promise<unknown> {
    const { execResult } = await this.#vm.evm.runCall({
      to: createAddressFromString(contract.address),
      data: hexToBytes(encodeCall(contract, name, args)),
      block: this.#block(),
    });
    if (execResult.exceptionError !== undefined) throw new Error(execResult.exceptionError.error);
    const data = bytesToHex(execResult.returnValue);
    return decodeFunctionResult({ abi: contract.abi, functionName: name, data });
  }

  #block() {
    const header = { timestamp: this.timeSeconds, gasLimit: GAS_LIMIT * 2n, baseFeePerGas: 0n };
    return createBlock({ header: { ...header, number: 1n } }, { common: this.#common });
  }

  async #run(call: { from: Key; to?: Address; data: Hex; gas: bigint }): Promise<RunTxResult> {
    const tx = createLegacyTx(
      {
        data: call.data,
        gasLimit: call.gas,
        gasPrice: 0n,
        ...(call.to === undefined ? {} : { to: createAddressFromString(call.to) }),
      },
      { common: this.#common },
    ).sign(hexToBytes(call.from.privateKey));
    return runTx(this.#vm, { tx, block: this.#block(), skipNonce: true });
  }
}

export function encodeCall(contract: Contract, name: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: contract.abi, functionName: name, args });
}

function eventsOf(contract: Contract, result: RunTxResult): DecodedEvent[] {
  const logs = (result.execResult.logs ?? [])
    .map(([address, topics, data]) => ({
      address: getAddress(bytesToHex(address)),
      topics: topics.map((topic) => bytesToHex(topic)),
      data: bytesToHex(data),
    }))
    .filter(({ address }) => address === contract.address);
  return parseEventLogs({ abi: contract.abi, logs: logs as unknown as Log[] }).map((event) => {
    const { eventName, args } = event as unknown as {
      eventName: string;
      args: DecodedEvent['args'];
    };
    return { name: eventName, args };
  });
}

function errorText(abi: Abi, result: RunTxResult): string {
  const data = bytesToHex(result.execResult.returnValue);
  const reason = result.execResult.exceptionError?.error ?? 'none';
  if (data === '0x') return reason;
  try {
    const { errorName, args } = decodeErrorResult({ abi, data });
    return `${errorName}(${(args ?? []).join(', ')})`;
  } catch {
    return reason;
  }
}
