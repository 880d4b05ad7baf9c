import type { Logger } from '@oddlot/host/log';
import type { Config } from '../config.ts';
import { originsOf } from '../edge/web/page-policy.ts';
import { WebPage } from '../edge/web/web-page.ts';
import type { ReplicaList } from '../translate/info/handler.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';

/** The trading page as configured; nothing is built yet. */
export function openPage(
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
    /** Where the page goes on when this process is lost. */
    readonly replicas?: ReplicaList | undefined;
  },
): WebPage | undefined {
  if (!config.web) return undefined;
  const { settlementRpcUrl = money?.rpcUrl } = config;
  return new WebPage({
    log,
    /** The relay's address may be known only when it serves, which is after the venue does. */
    get elsewhere() {
      const others = (replicas?.() ?? []).map(({ url }) => url);
      const streams = originsOf(others).map((origin) => origin.replace(/^http/, 'ws'));
      return [...originsOf([settlementRpcUrl, relay.expectedUrl, ...others]), ...streams];
    },
  });
}
