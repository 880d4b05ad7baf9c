import type { Logger } from '@oddlot/host/log';
import type { Metrics } from '@oddlot/host/metrics';
import { VERSION } from '@oddlot/host/version';
import { NETWORKS } from '@oddlot/protocol';
import { SettingError } from '@oddlot/host/settings';
import { type Config, referencePricesOf } from '../config.ts';
import type { LocalReplica } from '../replica/local-replica.ts';

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
  log.warn(
    { backend },
    'signatures are recovered by a slower library because secp256k1 is not built',
  );
}

/** Who may operate a venue stands in the first block of its log, whatever is configured later. */
export function warnOfOperators(config: Config, replica: LocalReplica, log: Logger): void {
  for (const role of ['admins', 'deployers'] as const) {
    const configured = config[role] ?? [];
    const logged = replica.state.parameters?.[role] ?? [];
    const isSame =
      configured.length === logged.length && configured.every((each) => logged.includes(each));
    if (configured.length === 0 || isSame) continue;
    log.warn({ [role]: configured, logged }, `configured ${role} ignored; those in the log apply`);
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
