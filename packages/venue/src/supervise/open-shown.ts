import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';
import type { Config } from '../config.ts';
import { readReferencePages } from '../edge/http/read-reference-pages.ts';
import type { LocalReplica } from '../replica/local-replica.ts';
import { CURSOR_KEY_BYTES, cursorSeal } from '../translate/cursor-seal.ts';
import { openPage } from './open-page.ts';
import { refusedOperatorLog } from './operator-log.ts';

/** What the doors show and tell besides the data. */
export type Shown = Awaited<ReturnType<typeof openShown>>;

type Parts = Parameters<typeof openPage>[1] & {
  readonly replica: LocalReplica;
  /** Where several processes have one; by default the folder has it. */
  readonly cursorKey?: Uint8Array | undefined;
};

export async function openShown(config: Config, parts: Parts) {
  return {
    pages: await readReferencePages(),
    page: openPage(config, parts),
    /** Their key stays with the data: cursors go on after a restart. */
    cursors: cursorSeal(
      parts.cursorKey ??
        secretFile({
          file: join(config.data, 'cursor-key'),
          bytes: CURSOR_KEY_BYTES,
          // A folder of an earlier release has none.
          madeWith: undefined,
          remedy: 'remove it; the cursors of all clients then become invalid',
        }),
    ),
    onRefused: refusedOperatorLog(parts.replica, parts.log),
  };
}
