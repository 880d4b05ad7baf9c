import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Texts; fonts and pictures are compressed by what they are. */
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|webmanifest)$/;
/** Below this the headers weigh more than what is gained. */
const BYTES_MIN = 512;
/** The best that brotli does costs seconds for what one level less does nearly as well. */
const BROTLI_QUALITY = 9;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes `x.br` and `x.gz` beside every `x` of a folder that becomes smaller by it. */
export async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths) {
    const bytes = await readFile(path);
    if (bytes.length < BYTES_MIN) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    await writeFile(`${path}.br`, await brotli(bytes, { params }));
    await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
  }
}
