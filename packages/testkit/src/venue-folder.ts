import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is in memory on Linux. */
const MEMORY = '/dev/shm';
/** So much is left to others; a container may have little of it. */
const MEMORY_BYTES_MIN = 256 * 1024 * 1024;

/** The data of one venue of a test, and copies of it from earlier; all of it is gone at the end. */
export class VenueFolder {
  readonly #root = mkdtempSync(join(placeInMemory() ?? tmpdir(), 'oddlot-testkit-'));
  #images = 0;

  constructor() {
    mkdirSync(this.data);
  }

  get data(): string {
    return join(this.#root, 'data');
  }

  /** For what is no part of the venue: copies leave it out. */
  get beside(): string {
    return join(this.#root, 'beside');
  }

  /** A copy as it stands. Whoever writes must be at rest, or the copy is what a kill would leave. */
  copy(): string {
    this.#images += 1;
    const image = join(this.#root, `image-${this.#images}`);
    cpSync(this.data, image, { recursive: true });
    return image;
  }

  /** Nobody may have the data open. */
  goBackTo(image: string): void {
    rmSync(this.data, { recursive: true });
    cpSync(image, this.data, { recursive: true });
  }

  forget(image: string): void {
    rmSync(image, { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function placeInMemory(): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : undefined;
  } catch {
    // Only Linux has one.
    return undefined;
  }
}
