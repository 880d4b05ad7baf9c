import { join } from 'node:path';
import { secretFile } from '@oddlot/host/durable';
import type { Config } from '../config.ts';
import { openDocuments } from '@oddlot/api/web/documents';
import type { LocalReplica } from '@oddlot/replica/local-replica';
import { CURSOR_KEY_BYTES, cursorSeal } from '@oddlot/translate/cursor-seal';
import { refusedOperatorLog } from './operator-log.ts';
import type { Logger } from '@oddlot/host/log';
import { originsOf, WebPage } from '@oddlot/api/web/web-page';
import type { ReplicaList } from '@oddlot/translate/info/info-context';
import type { OpenedSettlement } from '@oddlot/settlement/open-settlement';

/** The read models that the ports serve in addition to the data. */
export type Shown = Awaited<ReturnType<typeof openShown>>;

type Parts = Parameters<typeof openPage>[1] & {
  readonly replica: LocalReplica;
  /** A key shared by several processes. By default, a key stored in the data folder is used. */
  readonly cursorKey?: Uint8Array | undefined;
};

export async function openShown(config: Config, parts: Parts) {
  return {
    documents: await openDocuments({ log: parts.log }),
    page: openPage(config, parts),
    /** The key is stored with the data, so that cursors remain valid after a restart. */
    cursors: cursorSeal(
      parts.cursorKey ??
        secretFile({
          file: join(config.data, 'cursor-key'),
          bytes: CURSOR_KEY_BYTES,
          // The data folder of an earlier release has no key.
          madeWith: undefined,
          remedy: 'remove it; the cursors of all clients then become invalid',
        }),
    ),
    onRefused: refusedOperatorLog(parts.replica, parts.log),
  };
}

/** Creates the trading page as configured without building it. */
function openPage(
  config: Config,
  {
    log,
    money,
    relay,
    replicas,
  }: {
    readonly log: Logger;
    readonly money: OpenedSettlement | undefined;
    readonly relay: { readonly expectedUrl: string | undefined };
    /** Other replicas, which the page switches to if it loses this process. */
    readonly replicas?: ReplicaList | undefined;
  },
): WebPage | undefined {
  if (!config.web) return undefined;
  const { settlementRpcUrl = money?.rpcUrl } = config;
  return new WebPage({
    log,
    /** The relay starts after the venue, so its address may not be known until then. */
    get connectOrigins() {
      const others = (replicas?.() ?? []).map(({ url }) => url);
      const streams = originsOf(others).map((origin) => origin.replace(/^http/, 'ws'));
      return [...originsOf([settlementRpcUrl, relay.expectedUrl, ...others]), ...streams];
    },
  });
}
