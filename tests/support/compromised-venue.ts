import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createOperationsPort, readiness } from '@oddlot/host/health';
import { FairQueue } from '@oddlot/host/ports';
import { createLogger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import type { Command } from '@oddlot/engine';
import type { Network } from '@oddlot/protocol';
import type { Executed, LogEntry } from '../../packages/replica/src/block.ts';
import { sentRequest } from '../../packages/api/src/read-request.ts';
import { authorityFrom, createRecoverer } from '../../packages/api/src/recoverer.ts';
import { BlockBuffer } from '../../packages/replica/src/log/block-codec.ts';
import { EraStore, SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { FileJournal } from '../../packages/replica/src/log/file-journal.ts';
import { LocalReplica } from '../../packages/replica/src/local-replica.ts';
import { LogPages } from '../../packages/venue/src/supervise/operations-endpoints.ts';
import {
  actionToCommand,
  instrumentLookup,
} from '../../packages/translate/src/action-to-command.ts';
import { temporaryData } from './venue-process.ts';

const CLOCK = { nowMs: () => Date.now() };
const onFatal = (error: unknown): never => {
  throw error;
};

/**
 * A venue whose process and data are under an attacker's control. It logs arbitrary commands and
 * serves its log like a real venue.
 */
export class CompromisedVenue {
  readonly replica: LocalReplica;
  readonly folder: string;
  url = '';
  readonly #journal: FileJournal;
  readonly #pages: LogPages;
  readonly #port: ReturnType<typeof createOperationsPort>;

  private constructor(folder: string, journal: FileJournal, replica: LocalReplica) {
    this.folder = folder;
    this.#journal = journal;
    this.replica = replica;
    this.#pages = new LogPages({
      data: folder,
      firstSeq: () => journal.firstSeq,
      head: () => replica.head,
    });
    this.#port = createOperationsPort({
      hostNames: [],
      queue: new FairQueue(),
      metrics: new Metrics(),
      readiness: readiness([]),
      log: createLogger({ level: 'silent' }),
      downloads: { '/log': this.#pages.answer },
    });
  }

  /** Opens a copy of the folder and adds to its log. */
  static async open(data: string): Promise<CompromisedVenue> {
    const folder = await temporaryData();
    await cp(join(data, 'journal'), join(folder, 'journal'), { recursive: true });
    return await CompromisedVenue.#on(folder);
  }

  /** Rewrites a log block by block, with a valid hash chain, and then adds to it. */
  static async rewritten(
    data: string,
    change: (entry: LogEntry) => LogEntry,
  ): Promise<CompromisedVenue> {
    const folder = await temporaryData();
    await mkdir(folder, { recursive: true });
    const directory = join(folder, 'journal');
    const copy = await FileJournal.open({ directory, clock: CLOCK, onFatal });
    for (const entry of await entriesOf(data)) {
      const changed = change(entry);
      const buffer = new BlockBuffer();
      buffer.writeBlock(changed.commands, changed.proposal);
      await copy.copy({ ...changed, encoded: buffer.bytes.subarray(0, buffer.length) });
    }
    await copy.close();
    return await CompromisedVenue.#on(folder);
  }

  static async #on(folder: string): Promise<CompromisedVenue> {
    const directory = join(folder, 'journal');
    const journal = await FileJournal.open({ directory, clock: CLOCK, onFatal });
    const replica = await LocalReplica.create({
      log: journal,
      snapshots: new SnapshotStore({ directory: join(folder, 'snapshots') }),
      eras: new EraStore({ directory: join(folder, 'eras') }),
      clock: CLOCK,
      genesis: [],
    });
    await replica.start();
    const venue = new CompromisedVenue(folder, journal, replica);
    venue.url = `http://127.0.0.1:${await venue.#port.listen(0, '127.0.0.1')}`;
    return venue;
  }

  /** Logs a command without checking its signer. */
  invent(command: Command, request?: string): Promise<Executed> {
    return this.replica.propose(command, request);
  }

  async take(network: Network, request: string): Promise<Executed> {
    return await this.invent(await this.derived(network, request), request);
  }

  async derived(network: Network, request: string): Promise<Command> {
    const recoverer = await createRecoverer(network);
    const job = { isLarge: false, nonceAfter: 0, nonceBefore: Infinity };
    const { sent, ...found } = recoverer.read(request, job);
    if ('refused' in sent) throw new Error('the request can not be read');
    const asked = sentRequest(sent);
    const authority = authorityFrom(asked, found, found.txHash as never);
    if (!('signer' in authority)) throw new Error(authority.message);
    const lookup = instrumentLookup(() => this.replica.state);
    return actionToCommand(asked.action, authority, lookup);
  }

  async close(): Promise<void> {
    await this.#port.drain();
    await this.#pages.close();
    await this.replica.stop();
    await this.#journal.close();
  }
}

/** Reads the blocks of a folder that no process has open. */
export async function entriesOf(data: string): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  const directory = join(data, 'journal');
  const journal = await FileJournal.open({ directory, clock: CLOCK, onFatal });
  await journal.replay(1, (entry) => entries.push(entry), { withRequests: true });
  await journal.close();
  return entries;
}
