import {
  type BlockPlace,
  ContentHasher,
  encodeSnapshot,
  inspectJournal,
  JournalDamagedError,
} from '@oddlot/venue/inspect';
import type { LogEntry } from '@oddlot/venue/replay';
import type { AuditedReplica } from '../replica/audited-replica.ts';
import type { Located } from './report.ts';

/** An attestation: the block that contains it, and where that block is. */
type Claim = { readonly seq: number; readonly place: BlockPlace; readonly content: string };

/** Contents of snapshots that a log attests, compared with the state that its blocks lead to. */
export class AttestedContents {
  readonly findings: Located[] = [];
  /** By the block of the snapshot. */
  readonly #claims = new Map<number, Claim[]>();
  readonly #hasher: ContentHasher;

  private constructor(hasher: ContentHasher) {
    this.#hasher = hasher;
  }

  /** Reads the whole log, because an attestation comes after the block that it is about. */
  static async read(directory: string): Promise<AttestedContents> {
    const contents = new AttestedContents(await ContentHasher.create());
    try {
      await inspectJournal(directory, (entry, place) => contents.#add(entry, place));
    } catch (error) {
      // The replay stops at the same byte and reports it.
      if (!(error instanceof JournalDamagedError)) throw error;
    }
    return contents;
  }

  /** Compares the state after a block with all attestations of its snapshot. */
  compare(replica: AuditedReplica['replica']): void {
    const { head, isEarlier } = replica;
    const claims = this.#claims.get(head.height);
    if (claims === undefined || isEarlier) return;
    const own = this.#contentOf(replica.payload());
    for (const { content, place, seq } of claims) {
      if (content === own) continue;
      const what = `the block attests content hash ${content} for the snapshot of block ${head.height}, but replaying the log gives ${own}`;
      this.findings.push({ ...place, block: seq, what });
    }
  }

  #contentOf(payload: ReturnType<AuditedReplica['replica']['payload']>): string {
    this.#hasher.begin(payload);
    for (const piece of encodeSnapshot(payload)) this.#hasher.add(piece);
    return this.#hasher.end();
  }

  #add({ commands, seq }: LogEntry, place: BlockPlace): void {
    for (const { command } of commands) {
      if (command.type !== 'attest' || command.snapshot === undefined) continue;
      const { height, snapshot: content } = command;
      const claims = this.#claims.get(height) ?? [];
      claims.push({ seq, place, content });
      this.#claims.set(height, claims);
    }
  }
}
