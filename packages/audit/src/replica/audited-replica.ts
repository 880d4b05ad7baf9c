import { NETWORKS, type Network } from '@oddlot/protocol';
import type { AppliedBlock, BlockHead, LogEntry, Projection } from '@oddlot/replica/block';
import { FollowingReplica } from '@oddlot/replica/following-replica';
import type { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import { LaterReleaseError } from '@oddlot/replica/replica';
import {
  type ChainEvidence,
  CommandChecker,
  type Counts,
  type Policy,
} from '../checks/command-checker.ts';
import { FindingError, NotYetError } from '../checks/finding.ts';
import { RequestReader } from '../checks/request-reader.ts';
import { COMMAND_BASIS } from '../checks/command-basis.ts';

type Following = Parameters<typeof FollowingReplica.create>[0];

export type Checkpoint = {
  readonly height: number;
  readonly hash: string;
  readonly by: string;
};

type AuditedReplicaOptions = {
  readonly policy: Policy;
  /** The source of blocks, for lookups by the replica. */
  readonly log: Following['log'];
  readonly snapshots: SnapshotStore;
  readonly eras: EraStore;
  readonly chain?: ChainEvidence | undefined;
  readonly checkpoints?: readonly Checkpoint[];
  /** Returns milliseconds since 1970. Blocks whose time is far ahead of it are rejected. */
  readonly now: () => number;
  readonly draw: () => number;
  readonly projections?: readonly Projection[];
  /** Registers listeners before the replica applies a block. */
  readonly onCreated?: ((replica: FollowingReplica) => void) | undefined;
  readonly onPassedOver?: Following['onPassedOver'];
  readonly faultOf?: Following['faultOf'];
};

/**
 * How far a block's time may be ahead of the local clock, in milliseconds. R-clock allows clocks to
 * differ by half as much.
 */
const AHEAD_MS_MAX = 60_000;

/**
 * An independent replica. Each command of a block is derived again from the signed request, or
 * compared with the chain, before the replica's own engine applies the block. Recorded hashes are
 * compared with those of the replica. An invalid block throws a FindingError, and no later block is
 * applied. The replica trusts only snapshots it wrote itself.
 */
export class AuditedReplica {
  readonly #options: AuditedReplicaOptions;
  readonly #replica: FollowingReplica;
  #checker: CommandChecker | undefined;

  private constructor(options: AuditedReplicaOptions, replica: FollowingReplica) {
    this.#options = options;
    this.#replica = replica;
  }

  /** Starts from the replica's newest snapshot, or before the first block. */
  static async open(options: AuditedReplicaOptions): Promise<AuditedReplica> {
    const { chain, eras, faultOf, log, onPassedOver, projections = [], snapshots } = options;
    const replica = await FollowingReplica.create({
      log,
      snapshots,
      eras,
      faultOf,
      ...(onPassedOver === undefined ? {} : { onPassedOver }),
    });
    if (chain !== undefined) replica.attach(chain.projection);
    for (const projection of projections) replica.attach(projection);
    options.onCreated?.(replica);
    await replica.restoreBase();
    return new AuditedReplica(options, replica);
  }

  get replica(): Pick<FollowingReplica, 'head' | 'headAt' | 'isEarlier' | 'payload' | 'state'> {
    return this.#replica;
  }

  get counts(): Readonly<Counts> | undefined {
    return this.#checker?.counts;
  }

  /**
   * Judges the next block and applies it. If it throws a FindingError or a NotYetError, the block
   * was not applied.
   */
  async take(entry: LogEntry): Promise<AppliedBlock | undefined> {
    const { policy } = this.#options;
    const { height, timeMs } = this.#replica.head;
    const refuse = (what: string): FindingError => new FindingError({ height: entry.seq, what });
    if (entry.seq !== height + 1) throw refuse(`expected the block after ${height}`);
    if (entry.timeMs < timeMs) throw refuse('its time is earlier than that of the previous block');
    const aheadMs = entry.timeMs - this.#options.now();
    if (aheadMs > AHEAD_MS_MAX) throw refuse(`its time is ${aheadMs} ms ahead of the local clock`);
    const { derivedFrom = 1, vouched } = policy;
    const isVouched = vouched !== undefined && entry.seq <= vouched.height;
    if (!isVouched && entry.seq >= derivedFrom) await this.#check(entry);
    const block = this.#apply(entry);
    const { hash } = this.#replica.head;
    const checkpoints = [...(this.#options.checkpoints ?? [])];
    if (vouched !== undefined) checkpoints.push({ ...vouched, by: 'vouchedBlock' });
    for (const known of checkpoints) {
      if (known.height !== entry.seq || known.hash === hash) continue;
      throw refuse(`its hash is ${hash}, expected ${known.hash} (${known.by})`);
    }
    return block;
  }

  /** Compares a reported block with the replica's own block. Does nothing for unknown blocks. */
  compare(reported: Pick<BlockHead, 'hash' | 'height'>): void {
    const own = this.#replica.headAt(reported.height)?.hash;
    if (own === undefined || own === reported.hash) return;
    const what =
      `its hash is ${own} here, but the venue reports ${reported.hash}: the block or the state ` +
      'after it differs';
    throw new FindingError({ height: reported.height, what });
  }

  async #check(entry: LogEntry): Promise<void> {
    if (this.#replica.isEarlier) {
      this.#checkEarlier(entry);
      return;
    }
    const checker = (this.#checker ??= await this.#checkerFor(entry));
    for (const [command, logged] of entry.commands.entries()) {
      const judged = this.#judge(checker, logged, entry);
      const what = judged instanceof Promise ? await judged : judged;
      if (what !== undefined) throw new FindingError({ height: entry.seq, command, what });
    }
  }

  /** Judges a command. A request that makes the reader throw is invalid. */
  #judge(
    checker: CommandChecker,
    logged: LogEntry['commands'][number],
    entry: LogEntry,
  ): ReturnType<CommandChecker['fault']> {
    try {
      return checker.fault(logged, entry);
    } catch (error) {
      if (error instanceof NotYetError) throw error;
      return `the command cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /**
   * Checks the first block after an earlier rules version. It only states that the next version
   * begins, and the state must confirm that.
   */
  #checkEarlier({ commands, seq: height }: LogEntry): void {
    const [first] = commands;
    const isOpening =
      first?.command.type === 'openEra' &&
      commands.every(({ command }) => COMMAND_BASIS[command.type] === 'replica');
    if (isOpening || this.#options.policy.appliesEarlier === true) return;
    const what =
      'it uses an earlier rules version, whose commands this release cannot derive: ' +
      'vouch for the last block of that version';
    throw new FindingError({ height, what });
  }

  #apply(entry: LogEntry): AppliedBlock | undefined {
    try {
      return this.#replica.take(entry);
    } catch (error) {
      if (error instanceof LaterReleaseError) throw new NotYetError(error.message);
      // The engine stopped in the middle of a block and is not used again, because a finding is
      // final.
      const what = error instanceof Error ? error.message : String(error);
      throw new FindingError({ height: entry.seq, what }, error);
    }
  }

  async #checkerFor(entry: LogEntry): Promise<CommandChecker> {
    const { chain, checkpoints = [], draw, policy } = this.#options;
    const isGenesisPinned = checkpoints.some(({ height }) => height === 1);
    const network = this.#networkOf(entry);
    const names = [network.serviceNetwork, ...(policy.formerNames ?? [])];
    const readers = await Promise.all(
      names.map((serviceNetwork) => RequestReader.create({ ...network, serviceNetwork })),
    );
    const state = () => this.#replica.state;
    return new CommandChecker({ policy, readers, state, chain, draw, isGenesisPinned });
  }

  /** Returns the ids of the log's network, with the name its requests are signed for. */
  #networkOf({ commands, seq }: LogEntry): Network {
    const genesis = commands.find(({ command }) => command.type === 'genesis')?.command;
    const parameters =
      genesis?.type === 'genesis' ? genesis.parameters : this.#replica.state.parameters;
    const base = Object.values(NETWORKS).find(
      ({ serviceNetwork }) => serviceNetwork === parameters?.serviceNetwork,
    );
    const { serviceNetwork } = this.#options.policy;
    if (base !== undefined) return { ...base, serviceNetwork };
    throw new FindingError({ height: seq, what: 'the log belongs to an unknown network' });
  }
}
