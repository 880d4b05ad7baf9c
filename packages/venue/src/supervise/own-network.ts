import type { Logger } from '@oddlot/host/log';
import { isLoopback } from '@oddlot/host/ports';
import { type Network, NETWORKS, serviceWordOf } from '@oddlot/protocol';
import { SettingError } from '@oddlot/host/settings';
import type { Config } from '../config.ts';
import { drawServiceName, noteServiceName, readServiceNames } from '../log/data-folder.ts';

type OwnNetwork = {
  /** What all that is signed for this venue is bound to. */
  readonly network: Network;
  /** What a client may have signed for by mistake. */
  readonly otherNetworks: readonly Network[];
};

/**
 * The network by the name of this deployment. A folder without one gets it here, before the first entry of
 * its log or of its new era is written; from then on it stays, whatever is configured. One that had a name and
 * lost its file gets no other, nor that of its network: nobody's signatures would count any more.
 */
export async function ownNetwork(config: Config, log: Logger): Promise<OwnNetwork> {
  const { data, serviceNetwork: word } = config;
  const base = NETWORKS[config.network];
  let names = readServiceNames(data);
  if (names.name === undefined && word !== undefined) {
    names = await drawServiceName(data, word);
    log.info({ serviceNetwork: names.name }, 'network name assigned');
  }
  const { name } = names;
  if (name === undefined) {
    tellOfSharedName(config, base, log);
    return { network: base, otherNetworks: othersOf(base, []) };
  }
  const own = serviceWordOf(name) ?? name;
  if (word !== undefined && word !== own) {
    throw new SettingError(
      `serviceNetwork: the network name of the data folder is ${name}, not ${word}. To turn a copy into another venue, rename it with npm run rename-venue`,
    );
  }
  noteServiceName(data, name);
  const network = { ...base, serviceNetwork: name };
  return { network, otherNetworks: othersOf(network, [...names.former, own]) };
}

function othersOf(network: Network, names: readonly string[]): readonly Network[] {
  const renamed = names.map((serviceNetwork) => ({ ...network, serviceNetwork }));
  return [...renamed, ...Object.values(NETWORKS)];
}

/** On a laptop a shared name does no harm; a venue that others reach is told of it. */
function tellOfSharedName(config: Config, { serviceNetwork }: Network, log: Logger): void {
  const { host, trustedProxies } = config;
  const isInside = isLoopback(host) || host === 'localhost';
  if (isInside && trustedProxies.length === 0) return;
  log.warn(
    { serviceNetwork },
    'other venues use the same network name, so requests signed for them are valid here ' +
      'too. Set a unique name with --service-network',
  );
}
