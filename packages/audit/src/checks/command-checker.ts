import type {
  Command,
  CreditDepositCommand,
  OpenBridgeCommand,
  SettleWithdrawalCommand,
  State,
} from '@oddlot/engine';
import {
  isRequest,
  type LogEntry,
  type LoggedCommand,
  type Projection,
} from '@oddlot/replica/block';
import { type InstrumentLookup, instrumentLookup } from '@oddlot/translate/action-to-command';
import { UnverifiedCommands, COMMAND_BASIS } from './command-basis.ts';
import type { RequestReader } from './request-reader.ts';

type CommandCheckerOptions = {
  readonly policy: Policy;
  /**
   * One reader for each of the venue's names, because each request was signed for the name in use
   * at the time.
   */
  readonly readers: readonly RequestReader[];
  readonly state: () => State;
  /**
   * The evidence from the chain. If absent, commands that depend on a chain are counted but not
   * checked.
   */
  readonly chain?: ChainEvidence | undefined;
  /**
   * Returns a number in [0, 1) that selects the signatures to check. The author of the log must not
   * be able to predict it.
   */
  readonly draw: () => number;
  /** True if the hash of the first block is known. */
  readonly isGenesisPinned?: boolean;
};

/** How many commands were checked, and how many could not be. */
export type Counts = {
  derived: number;
  signersRecovered: number;
  /** The number of commands whose signer was taken from the log. */
  signersSampledOut: number;
  readonly believed: UnverifiedCommands;
};

export const noCounts = (): Counts => ({
  derived: 0,
  signersRecovered: 0,
  signersSampledOut: 0,
  believed: new UnverifiedCommands(),
});

/**
 * The result of judging a command: recomputed by the replica, unverified, or an error text, which
 * is undefined if the chain confirms the command.
 */
type Judged =
  | 'computed'
  | 'believed'
  | { readonly fault: string | undefined | Promise<string | undefined> };

/** Judges the commands in a log, each by its basis. */
export class CommandChecker {
  readonly counts = noCounts();
  readonly #options: CommandCheckerOptions;
  readonly #instruments: InstrumentLookup;

  constructor(options: CommandCheckerOptions) {
    this.#options = options;
    this.#instruments = instrumentLookup(options.state);
  }

  /**
   * Returns why a command in a block is invalid, or undefined if it is valid. The result is a
   * promise if the chain is queried.
   */
  fault(
    { command, request }: LoggedCommand,
    entry: Pick<LogEntry, 'seq'>,
  ): string | undefined | Promise<string | undefined> {
    const basis: string | undefined = COMMAND_BASIS[command.type];
    if (basis === undefined) return `the command type is unknown: ${String(command.type)}`;
    if (isRequest(command)) {
      if (request === undefined) return `${command.type} has no signed request`;
      return this.#requestFault(command, request);
    }
    if (request !== undefined)
      return `${command.type} has a signed request, but such commands are never signed`;
    return this.#processFault(command, entry.seq === 1);
  }

  #requestFault(
    command: Parameters<RequestReader['fault']>[0]['command'],
    request: string,
  ): string | undefined {
    const { draw, policy, readers } = this.#options;
    const mayBeLeftOut = COMMAND_BASIS[command.type] === 'account' && policy.sampleOneIn > 1;
    const isRecovered = !mayBeLeftOut || draw() * policy.sampleOneIn < 1;
    this.counts.derived++;
    if (isRecovered) this.counts.signersRecovered++;
    else this.counts.signersSampledOut++;
    let first: string | undefined;
    for (const reader of readers) {
      const fault = reader.fault({ command, request }, this.#instruments, isRecovered);
      if (fault === undefined) return undefined;
      first ??= fault;
    }
    return first;
  }

  /** Judges commands without a signature, logged by the process itself. */
  #processFault(
    command: Command,
    isFirstBlock: boolean,
  ): string | undefined | Promise<string | undefined> {
    const judged = this.#judge(command, isFirstBlock);
    if (judged === 'computed') return undefined;
    if (judged !== 'believed') return judged.fault;
    // The hash of the first block covers all its commands.
    const isPinned = isFirstBlock && this.#options.isGenesisPinned === true;
    if (!isPinned) this.counts.believed.add(command);
    return undefined;
  }

  /** Judges a command by its basis. A basis without a case here does not compile. */
  #judge(command: Command, isFirstBlock: boolean): Judged {
    const { policy } = this.#options;
    switch (COMMAND_BASIS[command.type]) {
      case 'account':
      case 'money':
        return { fault: `${command.type} has no signature` };
      case 'operator':
        return isFirstBlock ? 'believed' : { fault: `${command.type} has no operator signature` };
      case 'listing':
        if (policy.testMoney) return 'believed';
        return { fault: `${command.type} has no operator signature` };
      case 'price':
        if (policy.venuePrices) return 'believed';
        return { fault: `${command.type} has no operator signature` };
      case 'genesis':
        return isFirstBlock ? 'believed' : { fault: 'the log contains a second genesis' };
      case 'faucet':
        return policy.testMoney ? 'believed' : { fault: faucetFault(command) };
      case 'replica':
        return 'computed';
      case 'deposit':
      case 'payout':
      case 'bridge':
        return this.#chainJudgement(command);
      case 'peg':
      case 'reserves':
      case 'notice':
        return 'believed';
    }
  }

  #chainJudgement(command: Command): Judged {
    const { chain, state } = this.#options;
    if (chain === undefined) return 'believed';
    if (command.type === 'creditDeposit') return { fault: chain.depositFault(command, state()) };
    if (command.type === 'settleWithdrawal') {
      return { fault: chain.settlementFault(command, state()) };
    }
    if (command.type === 'openBridge') return { fault: chain.bridgeFault(command) };
    return { fault: `${command.type} depends on a chain, but no chain is known` };
  }
}

function faucetFault(command: Command): string {
  const { account = '', amountMicroUsdc = 0 } = command.type === 'creditFaucet' ? command : {};
  return `${amountMicroUsdc} micro-USDC for ${account} without a source: this venue has no test funds`;
}

/**
 * The parts of a log that the operator of an independent validator accepts without verification.
 */
export type Policy = {
  /** The network name for which requests are signed. */
  readonly serviceNetwork: string;
  /** The earlier names of the venue, for which older requests may be signed. */
  readonly formerNames?: readonly string[] | undefined;
  /**
   * Applies blocks under earlier rules versions with their own engine and counts them, because this
   * release cannot derive their commands.
   */
  readonly appliesEarlier?: boolean | undefined;
  /** True if the venue itself logs prices. Otherwise, an operator must have signed them. */
  readonly venuePrices: boolean;
  /** True if the venue grants test funds, and lists and resolves demo events. */
  readonly testMoney: boolean;
  /** One of this many signatures that do not concern funds is recovered; 1 recovers all of them. */
  readonly sampleOneIn: number;
  /** The operator vouches for all blocks up to this one, whose hash must match. */
  readonly vouched?: { readonly height: number; readonly hash: string } | undefined;
  /** Blocks before this one are applied but not derived, because they were checked earlier. */
  readonly derivedFrom?: number | undefined;
};

/**
 * Checks commands against the settlement chain. Each function returns why a command is invalid, or
 * undefined if it is valid, and throws a NotYetError while the chain is unavailable or behind the
 * log.
 */
export type ChainEvidence = {
  /** The projection whose content is included in snapshots. */
  readonly projection: Projection;
  bridgeFault(command: OpenBridgeCommand): Promise<string | undefined>;
  depositFault(command: CreditDepositCommand, state: State): Promise<string | undefined>;
  settlementFault(command: SettleWithdrawalCommand, state: State): Promise<string | undefined>;
};

export function unverifiedLines(
  { believed, signersSampledOut }: Readonly<Counts>,
  earlierBlocks: number,
): string[] {
  const others: [count: number, what: string][] = [
    [signersSampledOut, 'signers taken from the log (signatures not checked)'],
    [earlierBlocks, 'blocks with earlier rules versions (requests not checked)'],
  ];
  return [
    ...believed.lines,
    ...others.flatMap(([count, what]) => (count > 0 ? [`${what}: ${count}`] : [])),
  ];
}
