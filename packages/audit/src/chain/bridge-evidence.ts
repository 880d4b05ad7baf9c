import {
  type BridgeContracts,
  ON_CHAIN,
  readDepositLogs,
  readState,
} from '@oddlot/custody/bridge-contract';
import {
  type ChainClient,
  ChainDisagreementError,
  chainFault,
  ChainUnavailableError,
} from '@oddlot/custody/chain';
import { bridgeContracts, SigningRefusal } from '@oddlot/custody/validator';
import {
  bridgeView,
  type CreditDepositCommand,
  type DepositSource,
  isDepositRemembered,
  type OpenBridgeCommand,
  type SettleWithdrawalCommand,
  type State,
} from '@oddlot/engine';
import { depositsIn } from '@oddlot/settlement/deposit-book';
import type { Hex } from 'viem';
import type { ChainEvidence } from '../checks/command-checker.ts';
import { NotYetError } from '../checks/finding.ts';
import { Arrivals } from './arrivals.ts';

type BridgeEvidenceOptions = {
  /** The client for endpoints chosen by the validator's operator. */
  readonly client: ChainClient;
  readonly bridge: Hex;
  /** The block in which the bridge was deployed, or any earlier one. */
  readonly fromBlock: number;
};

const RANGE_BLOCKS = 2_000;

/**
 * Compares a log with the settlement chain, read through independent endpoints. A deposit must be
 * credited to the account of the transfer, at the position of the transfer, and no account may be
 * credited with more than has arrived for it. A withdrawal must have the same result as on the
 * bridge.
 */
export class BridgeEvidence implements ChainEvidence {
  readonly projection = new Arrivals();
  readonly #options: BridgeEvidenceOptions;
  #contracts: BridgeContracts | undefined;

  constructor(options: BridgeEvidenceOptions) {
    this.#options = options;
  }

  bridgeFault(command: OpenBridgeCommand): Promise<string | undefined> {
    return this.#asked(async () => {
      const { chainId } = this.#options.client;
      const { bridge, token } = await this.#knownContracts();
      const isSame =
        command.chainId === chainId && command.bridge === bridge && command.token === token;
      if (isSame) return undefined;
      const of = `bridge ${command.bridge} with token ${command.token} of chain ${command.chainId}`;
      return (
        `the log switches to ${of}, but this validator is for bridge ${bridge} with token ` +
        `${token} of chain ${chainId}`
      );
    });
  }

  depositFault(command: CreditDepositCommand, state: State): Promise<string | undefined> {
    const { account, amountMicroUsdc, isOwn, source } = command;
    // A repeated deposit changes nothing.
    if (isDepositRemembered(state, source)) return Promise.resolve(undefined);
    return this.#asked(async () => {
      const { client } = this.#options;
      const where = `log ${source.logIndex} of ${source.txHash} in block ${source.blockNumber}`;
      if (source.chainId !== client.chainId)
        return `the deposit is on another chain, ${source.chainId}`;
      await this.#readTo(source.blockNumber);
      const found = await this.#depositsOf(source.blockNumber, source.blockNumber);
      const own = found.find((each) => isSamePlace(each.source, source));
      if (own === undefined) return `the deposit does not exist on the chain: ${where}`;
      if (own.account !== account) {
        return `the deposit at ${where} is for ${own.account}, but the log credits ${account}`;
      }
      const arrived = this.projection.left(account, source);
      if (arrived.amount < BigInt(amountMicroUsdc)) {
        return (
          `the log credits ${amountMicroUsdc} micro-USDC to ${account}, but only ` +
          `${arrived.amount} micro-USDC arrived and is not credited yet`
        );
      }
      if (isOwn && !own.isOwn && !arrived.hasOwn)
        return `${account} did not send the deposit at ${where}`;
      this.projection.expect(command);
      return undefined;
    });
  }

  settlementFault(command: SettleWithdrawalCommand, state: State): Promise<string | undefined> {
    const { paid, withdrawalId } = command;
    if (!state.withdrawals.has(withdrawalId)) return Promise.resolve(undefined);
    // No payout is signed before the log specifies a bridge, so a withdrawal that was returned
    // earlier cannot have been paid.
    if (!paid && bridgeView(state) === undefined) return Promise.resolve(undefined);
    return this.#asked(async () => {
      const { bridge, client } = this.#options;
      const { confirmed: block } = await client.head();
      const onChain = await readState(client, bridge, { withdrawalId, block });
      if (onChain === (paid ? ON_CHAIN.paid : ON_CHAIN.cancelled)) return undefined;
      const result = paid ? 'was paid' : 'was returned';
      if (onChain === (paid ? ON_CHAIN.cancelled : ON_CHAIN.paid)) {
        return (
          `the log says that withdrawal ${withdrawalId} ${result}, but the bridge has ` +
          `${paid ? 'cancelled' : 'paid'} it`
        );
      }
      // These endpoints may be behind the venue's.
      throw new NotYetError(
        `the log says that withdrawal ${withdrawalId} ${result}, but the bridge has neither ` +
          `paid nor cancelled it at block ${block}`,
      );
    });
  }

  /** Counts the deposits up to a block. Throws if the chain has not reached it. */
  async #readTo(blockNumber: number): Promise<void> {
    const { client, fromBlock } = this.#options;
    const { confirmed } = await client.head();
    if (blockNumber > confirmed) {
      throw new NotYetError(
        `the log credits a deposit in block ${blockNumber}, but the newest confirmed block ` +
          `known here is ${confirmed}`,
      );
    }
    await this.#assertSameChain(confirmed);
    for (;;) {
      const from = Math.max(fromBlock, (this.projection.readTo?.block ?? -1) + 1);
      if (from > blockNumber) return;
      const to = Math.min(blockNumber, from + RANGE_BLOCKS - 1);
      const found = await this.#depositsOf(from, to);
      const hash = await client.blockHash(to);
      if (hash === undefined) throw new NotYetError(`block ${to} of the chain does not exist`);
      this.projection.add(found, { block: to, hash });
    }
  }

  /**
   * Checks that the counted blocks still exist. Otherwise, a deposit that is on two branches would
   * be counted twice.
   */
  async #assertSameChain(confirmed: number): Promise<void> {
    const { readTo } = this.projection;
    if (readTo === undefined || readTo.block > confirmed) return;
    const hash = await this.#options.client.blockHash(readTo.block);
    if (hash === readTo.hash) return;
    throw new NotYetError(
      `block ${readTo.block} of the chain was replaced: previously ${readTo.hash}, now ${hash}. Confirmed ` +
        'blocks were reorganised, and the operator must check them',
    );
  }

  async #depositsOf(fromBlock: number, toBlock: number): Promise<ReturnType<typeof depositsIn>> {
    const contracts = await this.#knownContracts();
    const logs = await readDepositLogs(this.#options.client, contracts, { fromBlock, toBlock });
    return depositsIn(logs).filter(({ isBacked }) => isBacked);
  }

  async #knownContracts(): Promise<BridgeContracts> {
    const { bridge, client } = this.#options;
    if (this.#contracts === undefined) {
      await client.assertChain();
      const { confirmed } = await client.head();
      this.#contracts = await bridgeContracts(client, bridge, confirmed);
    }
    return this.#contracts;
  }

  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      const isAway =
        error instanceof ChainUnavailableError ||
        error instanceof ChainDisagreementError ||
        error instanceof SigningRefusal;
      if (!isAway) throw error;
      throw new NotYetError(`the chain cannot be queried: ${chainFault(error)}`);
    }
  }
}

function isSamePlace(a: DepositSource, b: DepositSource): boolean {
  return a.txHash === b.txHash && a.logIndex === b.logIndex && a.blockNumber === b.blockNumber;
}
