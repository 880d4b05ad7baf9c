import type { Logger } from '@oddlot/host/log';
import type { LocalReplica } from '@oddlot/replica/local-replica';
import { actionTypeOf } from '@oddlot/translate/action-to-command';
import { isRequest, type RequestCommand } from '@oddlot/replica/block';
import { marketView, seriesOutlook } from '@oddlot/engine';
import type { Metrics } from '@oddlot/host/metrics';
import { VERSION } from '@oddlot/host/version';
import { NETWORKS } from '@oddlot/protocol';
import { SettingError } from '@oddlot/host/settings';
import { type Config, referencePricesOf } from '../config.ts';

/** Writes a line for everything that somebody did as the operator: who, what, where, and the end of it. */
export function logOperators(
  replica: Pick<LocalReplica, 'isReplaying' | 'onBlock'>,
  log: Pick<Logger, 'info'>,
): void {
  replica.onBlock(({ commands, height, result }) => {
    if (replica.isReplaying) return;
    for (const [index, { command }] of commands.entries()) {
      if (!('operator' in command) || command.operator === undefined) continue;
      if (!isRequest(command)) continue;
      const { signer, txHash } = command.operator;
      const outcome = result.outcomes[index]?.reject?.reason ?? 'executed';
      const what = { action: actionTypeOf(command), variant: command.type };
      log.info({ signer, ...what, height, result: outcome, txHash }, 'operator action');
    }
  });
}

/** Lines about strangers a second at most: anybody can send what only operators may. */
const STRANGERS_PER_SECOND = 1;

/** The same of what was refused before it could enter the log of the venue. */
export function refusedOperatorLog(
  replica: Pick<LocalReplica, 'head' | 'state'>,
  log: Pick<Logger, 'info'>,
): (command: RequestCommand, reason: string) => void {
  let secondAt = 0;
  let strangers = 0;
  return (command, reason) => {
    if (!('operator' in command)) return;
    const { signer, txHash } = command.operator;
    const { admins = [], deployers = [] } = replica.state.parameters ?? {};
    if (!admins.includes(signer) && !deployers.includes(signer)) {
      const second = Math.floor(performance.now() / 1000);
      if (second !== secondAt) [secondAt, strangers] = [second, 0];
      strangers += 1;
      if (strangers > STRANGERS_PER_SECOND) return;
    }
    const what = { action: actionTypeOf(command), variant: command.type };
    const { height } = replica.head;
    log.info({ signer, ...what, height, result: reason, txHash }, 'operator action');
  };
}

/** Says at the start of a market that it has no price to beat: somebody will have to decide it by hand (R-series). */
export function logMissingStrikes(
  replica: Pick<LocalReplica, 'isReplaying' | 'onBlock' | 'state'>,
  log: Pick<Logger, 'warn'>,
): void {
  replica.onBlock(({ result }) => {
    if (replica.isReplaying) return;
    for (const event of result.events) {
      const opens =
        (event.type === 'marketPhaseChanged' && event.to === 'open' && event.from === 'upcoming') ||
        (event.type === 'outcomeMarketListed' && event.phase === 'open');
      if (!opens) continue;
      const { instrumentId } = event;
      if (seriesOutlook(replica.state, instrumentId)?.strike !== 'missing') continue;
      const market = marketView(replica.state, instrumentId)?.definition.slug;
      const why =
        'series market started without a price to beat because too few reference prices were available';
      log.warn({ market, instrumentId }, `${why}; the deployer must resolve it after it closes`);
    }
  });
}

const TOLD = { simulated: 'simulated', still: 'constant', none: 'none' } as const;

/** Which release runs on which prices: nothing that an operator should have to look up. */
export function tellWhatRuns(config: Config, metrics: Metrics, log: Pick<Logger, 'info'>): void {
  const { network, oracle } = config;
  const referencePrices = referencePricesOf(config);
  const names = config.exchanges.map(({ name }) => name).join(', ');
  const source = (kind: keyof typeof TOLD | 'exchanges'): string =>
    kind === 'exchanges' ? `from ${names}` : TOLD[kind];
  const { node } = process.versions;
  const facts = { version: VERSION, node, network, oracle, referencePrices };
  metrics.buildInfo(facts);
  log.info(facts, `perp prices: ${source(oracle)}; reference prices: ${source(referencePrices)}`);
}

/** The native library is optional: without its install script a slower one does the same. */
export function warnOfBackend(backend: string, log: Pick<Logger, 'warn'>): void {
  if (backend === 'secp256k1') return;
  log.warn({ backend }, 'secp256k1 is not built; recovering signatures with a slower library');
}

/** Who may operate a venue stands in the first block of its log, whatever is configured later. */
export function warnOfOperators(config: Config, replica: LocalReplica, log: Logger): void {
  for (const role of ['admins', 'deployers'] as const) {
    const configured = config[role] ?? [];
    const logged = replica.state.parameters?.[role] ?? [];
    const isSame =
      configured.length === logged.length && configured.every((each) => logged.includes(each));
    if (configured.length === 0 || isSame) continue;
    log.warn({ [role]: configured, logged }, `configured ${role} ignored; using those in the log`);
  }
}

/** A data folder belongs to one network: ids and rules of the other would not fit its log. */
export function assertNetwork(config: Config, replica: LocalReplica): void {
  const logged = replica.state.parameters?.serviceNetwork;
  if (logged === NETWORKS[config.network].serviceNetwork) return;
  const first = Object.entries(NETWORKS).find(
    ([, { serviceNetwork }]) => serviceNetwork === logged,
  );
  throw new SettingError(
    `network: the data folder belongs to a ${first?.[0] ?? logged}, not to a ${config.network}. ` +
      'Use the setting of its first start, or another folder',
  );
}
