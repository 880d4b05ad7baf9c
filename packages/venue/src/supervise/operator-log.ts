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

/** Logs every operator command with its sender, content, origin and result. */
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

/**
 * The maximum number of lines per second about unauthorized senders. Any client can send operator
 * commands, so the rate is limited.
 */
const UNAUTHORIZED_PER_SECOND = 1;

/** Logs operator commands that were rejected before being added to the venue's log. */
export function refusedOperatorLog(
  replica: Pick<LocalReplica, 'head' | 'state'>,
  log: Pick<Logger, 'info'>,
): (command: RequestCommand, reason: string) => void {
  let secondAt = 0;
  let unauthorized = 0;
  return (command, reason) => {
    if (!('operator' in command)) return;
    const { signer, txHash } = command.operator;
    const { admins = [], deployers = [] } = replica.state.parameters ?? {};
    if (!admins.includes(signer) && !deployers.includes(signer)) {
      const second = Math.floor(performance.now() / 1000);
      if (second !== secondAt) [secondAt, unauthorized] = [second, 0];
      unauthorized += 1;
      if (unauthorized > UNAUTHORIZED_PER_SECOND) return;
    }
    const what = { action: actionTypeOf(command), variant: command.type };
    const { height } = replica.head;
    log.info({ signer, ...what, height, result: reason, txHash }, 'operator action');
  };
}

/**
 * Warns when a market starts without a strike, because an operator will have to resolve it
 * (R-series).
 */
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

const SOURCES = { simulated: 'simulated', still: 'constant', none: 'none' } as const;

/** Logs the release and the price sources, so that operators need not look them up. */
export function logRelease(config: Config, metrics: Metrics, log: Pick<Logger, 'info'>): void {
  const { network, oracle } = config;
  const referencePrices = referencePricesOf(config);
  const names = config.exchanges.map(({ name }) => name).join(', ');
  const source = (kind: keyof typeof SOURCES | 'exchanges'): string =>
    kind === 'exchanges' ? `from ${names}` : SOURCES[kind];
  const { node } = process.versions;
  const facts = { version: VERSION, node, network, oracle, referencePrices };
  metrics.buildInfo(facts);
  log.info(facts, `perp prices: ${source(oracle)}; reference prices: ${source(referencePrices)}`);
}

/**
 * Warns if the optional native library is missing because its install script did not run. A slower
 * library is used instead.
 */
export function warnOfBackend(backend: string, log: Pick<Logger, 'warn'>): void {
  if (backend === 'secp256k1') return;
  log.warn(
    { backend },
    'native secp256k1 addon not built; using a slower library for signature recovery',
  );
}

/**
 * Warns if the configured operators differ from those in the first block of the log; the latter
 * always apply.
 */
export function warnOfOperators(config: Config, replica: LocalReplica, log: Logger): void {
  for (const role of ['admins', 'deployers'] as const) {
    const configured = config[role] ?? [];
    const logged = replica.state.parameters?.[role] ?? [];
    const isSame =
      configured.length === logged.length && configured.every((each) => logged.includes(each));
    if (configured.length === 0 || isSame) continue;
    log.warn(
      { [role]: configured, logged },
      `configured ${role} ignored; using the ${role} recorded in the log`,
    );
  }
}

/**
 * Ensures that the data folder belongs to the configured network, because another network's ids and
 * rules would not fit its log.
 */
export function assertNetwork(config: Config, replica: LocalReplica): void {
  const logged = replica.state.parameters?.serviceNetwork;
  if (logged === NETWORKS[config.network].serviceNetwork) return;
  const first = Object.entries(NETWORKS).find(
    ([, { serviceNetwork }]) => serviceNetwork === logged,
  );
  throw new SettingError(
    `network: the data folder was created with network ${first?.[0] ?? logged}, not ` +
      `${config.network}. Use the setting of its first start, or another folder`,
  );
}
