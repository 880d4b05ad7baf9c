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
import { Believed, RESTS_ON } from './rests-on.ts';
import type { RequestReader } from './request-reader.ts';

type CommandCheckerOptions = {
  readonly policy: Policy;
  /** One for the present name of the venue and one for each former: requests were signed for the name of their time. */
  readonly readers: readonly RequestReader[];
  /** The state before the block. */
  readonly state: () => State;
  /** Undefined where no chain is read: commands that rest on one are counted, not checked. */
  readonly chain?: ChainEvidence | undefined;
  /** Between 0 and 1: draws which signatures are checked. Whoever writes the log must not be able to foresee it. */
  readonly draw: () => number;
  /** The hash of the first block is known. */
  readonly isGenesisPinned?: boolean;
};

/** How many commands were looked at, and what could not be. */
export type Counts = {
  derived: number;
  signersRecovered: number;
  /** Their signers were taken from the log. */
  signersSampledOut: number;
  readonly believed: Believed;
};

export const noCounts = (): Counts => ({
  derived: 0,
  signersRecovered: 0,
  signersSampledOut: 0,
  believed: new Believed(),
});

/** Computed by whoever replays, believed, or what is wrong; undefined where the chain bears it out. */
type Judged =
  | 'computed'
  | 'believed'
  | { readonly fault: string | undefined | Promise<string | undefined> };

/** Judges commands of a log by what each of them rests on. */
export class CommandChecker {
  readonly counts = noCounts();
  readonly #options: CommandCheckerOptions;
  readonly #instruments: InstrumentLookup;

  constructor(options: CommandCheckerOptions) {
    this.#options = options;
    this.#instruments = instrumentLookup(options.state);
  }

  /** Why a command of a block does not stand; undefined where it does. A promise where the chain is asked. */
  fault(
    { command, request }: LoggedCommand,
    entry: Pick<LogEntry, 'seq'>,
  ): string | undefined | Promise<string | undefined> {
    const basis: string | undefined = RESTS_ON[command.type];
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
    const mayBeLeftOut = RESTS_ON[command.type] === 'account' && policy.sampleOneIn > 1;
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

  /** What nobody signed: the process itself brought it into the log. */
  #processFault(
    command: Command,
    isFirstBlock: boolean,
  ): string | undefined | Promise<string | undefined> {
    const judged = this.#judge(command, isFirstBlock);
    if (judged === 'computed') return undefined;
    if (judged !== 'believed') return judged.fault;
    // The hash of the first block covers all of it.
    const isPinned = isFirstBlock && this.#options.isGenesisPinned === true;
    if (!isPinned) this.counts.believed.add(command);
    return undefined;
  }

  /** A basis that has no case here does not compile. */
  #judge(command: Command, isFirstBlock: boolean): Judged {
    const { policy } = this.#options;
    switch (RESTS_ON[command.type]) {
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

/** What whoever believes nobody believes all the same, by decision of its operator. */
export type Policy = {
  /** The name that requests are signed for. */
  readonly serviceNetwork: string;
  /** Names that the venue had before, which older requests may be signed for. */
  readonly formerNames?: readonly string[] | undefined;
  /** Blocks of earlier eras, whose commands this release can't derive, are applied by their own engine and counted. */
  readonly appliesEarlier?: boolean | undefined;
  /** The venue brings prices into the log by itself; else an operator must have signed them. */
  readonly venuePrices: boolean;
  /** The venue gives test money away, and lists and resolves made-up events. */
  readonly testMoney: boolean;
  /** Of signatures that concern no money one of so many is recovered; 1 recovers all. */
  readonly sampleOneIn: number;
  /** The operator answers for all up to this block, whose hash must be this one. */
  readonly vouched?: { readonly height: number; readonly hash: string } | undefined;
  /** Blocks before this one are applied and not derived: whoever asks has looked at them already. */
  readonly derivedFrom?: number | undefined;
};

/**
 * What the settlement chain says to commands that rest on it: why one does not stand, or undefined. Throws a NotYetError
 * while the chain can't be asked, or has not come as far as the log says.
 */
export type ChainEvidence = {
  /** Snapshots hold what it dumps. */
  readonly projection: Projection;
  bridgeFault(command: OpenBridgeCommand): Promise<string | undefined>;
  depositFault(command: CreditDepositCommand, state: State): Promise<string | undefined>;
  settlementFault(command: SettleWithdrawalCommand, state: State): Promise<string | undefined>;
};

/** What had to be taken as it is, in words. */
export function believedCounts(
  { believed, signersSampledOut }: Readonly<Counts>,
  earlierBlocks: number,
): string[] {
  const others: [count: number, what: string][] = [
    [signersSampledOut, 'request signers: taken from the log, signatures not checked'],
    [
      earlierBlocks,
      'blocks with earlier rules versions: applied by their own engine, requests not checked',
    ],
  ];
  return [
    ...believed.lines,
    ...others.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}
