import type { Config } from '../config.ts';
import { originsOf } from '../edge/web/page-policy.ts';
import { WebPage } from '../edge/web/web-page.ts';
import type { Logger } from '../operate/log.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';

/** The trading page as configured; nothing is built yet. */
export function openPage(
  config: Config,
  { log, money }: { readonly log: Logger; readonly money: OpenedSettlement | undefined },
): WebPage | undefined {
  if (!config.web) return undefined;
  const { relayUrl, settlementRpcUrl = money?.rpcUrl } = config;
  return new WebPage({ log, elsewhere: originsOf([settlementRpcUrl, relayUrl]) });
}
