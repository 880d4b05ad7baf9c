import { join } from 'node:path';
import type { ChainClient } from '@oddlot/custody/chain';
import { BridgedChain, TEST_CHAIN_ID } from '@oddlot/testing/custody';
import { address } from '@oddlot/units';
import type { Hex } from 'viem';
import { DepositWatcher } from '../../../packages/settlement/src/deposit-watcher.ts';
import { TestReplica } from './http/test-replica.ts';

/** A real chain with a bridge, and an engine that credits deposits made there. */
export class TestSettlement {
  readonly replica = new TestReplica();
  readonly bridged: BridgedChain;
  readonly #watchers: DepositWatcher[] = [];

  private constructor(bridged: BridgedChain) {
    this.bridged = bridged;
    const { bridge, token } = bridged.contracts;
    const contracts = { bridge: address(bridge), token: address(token) };
    this.replica.apply({ type: 'openBridge', chainId: TEST_CHAIN_ID, ...contracts });
  }

  static async open(endpoints = 1): Promise<TestSettlement> {
    return new TestSettlement(await BridgedChain.open(endpoints));
  }

  watcher(
    client: ChainClient,
    more: {
      readonly isMinter?: boolean;
      readonly accepted?: Hex | undefined;
      readonly file?: string;
    } = {},
  ): DepositWatcher {
    const watcher = new DepositWatcher({
      client,
      contracts: this.bridged.contracts,
      fromBlock: 0,
      rules: { minMicroUsdc: 5_000_000, operators: new Set(), isMinter: more.isMinter ?? false },
      file: more.file ?? join(this.bridged.directory, 'watched.json'),
      state: () => this.replica.state,
      accepted: more.accepted,
      propose: (command) => this.replica.propose(command),
    });
    this.#watchers.push(watcher);
    return watcher;
  }

  get credited(): bigint {
    return this.replica.state.bridge?.creditedTotal ?? 0n;
  }

  async close(): Promise<void> {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    await this.bridged.close();
  }
}
