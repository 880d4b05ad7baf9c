import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/**
 * Simulates a power loss. It records the contents of each file and folder that this process syncs,
 * and `cut` copies nothing else: the names in synced folders, with the synced bytes. This is the
 * worst case; most disks lose less.
 */
export class PowerCut {
  readonly syncs = { files: 0, folders: 0 };
  readonly #bytes = new Map<number, Buffer>();
  readonly #names = new Map<number, ReadonlyMap<string, number>>();
  /** File descriptors are kept open so that the system cannot reuse an inode number. */
  readonly #held: number[] = [];
  readonly #root: string;
  readonly #undo: (() => void)[] = [];

  /** Treats the folder itself and its current contents as durable. */
  constructor(root: string) {
    this.#root = root;
    this.#note(fs.openSync(root, 'r'));
    this.syncs.folders = 0;
  }

  async watch(): Promise<void> {
    for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
      this.#wrap(fs, name, (original) => (descriptor: number) => {
        original(descriptor);
        this.#note(descriptor);
      });
    }
    for (const name of ['fsync', 'fdatasync'] as const) {
      this.#wrap(fs, name, (original) => (descriptor: number, done: fs.NoParamCallback) => {
        original(descriptor, (error: NodeJS.ErrnoException | null) => {
          if (error === null) this.#note(descriptor);
          done(error);
        });
      });
    }
    const handle = await fs.promises.open(this.#root, 'r');
    const handles = Object.getPrototypeOf(handle) as Record<'sync' | 'datasync', Function>;
    await handle.close();
    const note = (descriptor: number): void => this.#note(descriptor);
    for (const name of ['sync', 'datasync'] as const) {
      this.#wrap(handles, name, (original) => {
        return async function (this: fs.promises.FileHandle): Promise<void> {
          await original.call(this);
          note(this.fd);
        };
      });
    }
    syncBuiltinESMExports();
  }

  end(): void {
    for (const undo of this.#undo.splice(0)) undo();
    syncBuiltinESMExports();
    for (const descriptor of this.#held.splice(0)) fs.closeSync(descriptor);
  }

  /** Copies the data that survives the power loss to another folder. */
  cut(target: string): void {
    this.#copy(fs.statSync(this.#root).ino, target);
  }

  #copy(folder: number, target: string): void {
    fs.mkdirSync(target, { recursive: true });
    for (const [name, ino] of this.#names.get(folder) ?? []) {
      const path = join(target, name);
      if (this.#isFolder.has(ino)) this.#copy(ino, path);
      else fs.writeFileSync(path, this.#bytes.get(ino) ?? '');
    }
  }

  readonly #isFolder = new Set<number>();

  #note(descriptor: number): void {
    const at = `/proc/self/fd/${descriptor}`;
    const stat = fs.fstatSync(descriptor);
    const isNew = !this.#bytes.has(stat.ino) && !this.#names.has(stat.ino);
    if (isNew) this.#held.push(fs.openSync(at, 'r'));
    if (!stat.isDirectory()) {
      this.syncs.files += 1;
      this.#bytes.set(stat.ino, fs.readFileSync(at));
      return;
    }
    this.syncs.folders += 1;
    const entries = fs.readdirSync(at).map((name): [string, number] => {
      const entry = fs.lstatSync(join(at, name));
      if (entry.isDirectory()) this.#isFolder.add(entry.ino);
      return [name, entry.ino];
    });
    this.#names.set(stat.ino, new Map(entries));
  }

  #wrap<Name extends string>(
    owner: Record<Name, Function>,
    name: Name,
    by: (original: Function) => Function,
  ): void {
    const original = owner[name];
    owner[name] = by(original);
    this.#undo.push(() => {
      owner[name] = original;
    });
  }
}
